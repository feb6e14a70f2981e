import { ContextInspector } from "../context/ContextInspector";
import { useSession } from "../session/useChatSessionHooks";
import { useTitle } from "../shell/Page";
import { strings } from "../strings";
import { AgentPicker } from "./AgentPicker";

export function ChatHead({ sessionId, agentName }: { sessionId: string; agentName: string }) {
  const session = useSession(sessionId).data;
  useTitle(session?.title ?? null);
  return (
    <header className="chat-head">
      <h1 className="chat-title">{session?.title ?? strings.session.untitled}</h1>
      {session?.memory === "off" && <span className="badge">{strings.chat.privateChat}</span>}
      <div className="chat-head-actions">
        <ContextInspector sessionId={sessionId} />
        <AgentPicker agentName={agentName} />
      </div>
    </header>
  );
}
