import { useFetchActiveChatSession } from "../session/useChatSessionHooks";
import { ErrorCard } from "../shell/ErrorCard";
import { Waiting } from "../shell/Spinner";
import { strings } from "../strings";

export function ChatPanel() {
  const { status, error, sessionId, retry } = useFetchActiveChatSession();
  if (status === "failed") return <ErrorCard error={error} onRetry={retry} />;
  if (status !== "ready") return <Waiting label={strings.session.opening} />;
  return <main id="main">{sessionId}</main>;
}
