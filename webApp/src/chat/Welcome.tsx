import { useSession } from "../session/useChatSessionHooks";
import { EmptyState } from "../shell/EmptyState";
import { strings } from "../strings";

export function Welcome({ sessionId }: { sessionId: string }) {
  const isPrivate = useSession(sessionId).data?.memory === "off";
  return (
    <div className="welcome">
      <EmptyState title={strings.chat.emptyTitle}>{isPrivate ? strings.chat.emptyPrivate : strings.chat.emptyLead}</EmptyState>
    </div>
  );
}
