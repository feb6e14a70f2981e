import { useQuery } from "@tanstack/react-query";
import { useFetchActiveChatSession } from "../session/useChatSessionHooks";
import { Crash } from "../shell/Crash";
import { ErrorCard } from "../shell/ErrorCard";
import { Waiting } from "../shell/Spinner";
import { strings } from "../strings";
import { ChatHead } from "./ChatHead";
import { Conversation } from "./Conversation";
import { readHistory } from "./history";
import "./chat.css";
import "./message.css";
import "./composer.css";

/** The session first, then its history, then what is being said now. */
export function ChatPanel() {
  const { status, error, sessionId, agentName, generation, retry } = useFetchActiveChatSession();
  return (
    <main id="main" className="chat" tabIndex={-1}>
      {status === "failed" && (
        <div className="chat-notice">
          <ErrorCard error={error} onRetry={retry} />
        </div>
      )}
      {(status === "idle" || status === "resolving") && <Waiting label={strings.session.opening} />}
      {status === "ready" && sessionId && agentName && (
        <Crash key={`${sessionId}:${generation}`}>
          <Opened sessionId={sessionId} agentName={agentName} generation={generation} />
        </Crash>
      )}
    </main>
  );
}

function Opened({ sessionId, agentName, generation }: { sessionId: string; agentName: string; generation: number }) {
  const history = useQuery({
    queryKey: ["history", sessionId, generation],
    queryFn: ({ signal }) => readHistory(sessionId, {}, signal),
    gcTime: 0, // messages live in useChat; this is only how they come there
    staleTime: Infinity,
  });
  return (
    <>
      <ChatHead sessionId={sessionId} agentName={agentName} />
      {history.isError && (
        <div className="chat-notice">
          <ErrorCard error={history.error} onRetry={() => void history.refetch()} busy={history.isFetching} />
        </div>
      )}
      {history.isPending && <Waiting label={strings.session.opening} />}
      {history.data && <Conversation sessionId={sessionId} agentName={agentName} history={history.data} />}
    </>
  );
}
