import { useQueries } from "@tanstack/react-query";
import { call } from "../api/client";
import { keys } from "../api/query";
import type { WholeMemory } from "../api/types";
import { textOf, type ChatMessage } from "../chat/message";
import { plainText } from "../shell/plainText";
import { Spinner } from "../shell/Spinner";
import { strings } from "../strings";
import { correctionOf } from "./history";
import { ago } from "./moments";
import { SourceLink } from "./SourceLink";

const words = strings.memory;
const SHOWN = 3; // the last messages that said it

/** Where it is known from: what was said, and the way there. */
export function MemorySource({ memory, onLeave }: { memory: WholeMemory; onLeave: () => void }) {
  const { session_id, message_ids } = memory.source;
  const corrected = session_id === null ? undefined : correctionOf(memory.changes);
  return (
    <section>
      <h3>{words.source}</h3>
      {corrected && <p>{words.youCorrected(ago(corrected.created_at))}</p>}
      {session_id === null ? (
        <p className="soft">{memory.origin === "user" ? words.sourceYou : words.sourceUnknown}</p>
      ) : message_ids.length === 0 ? (
        <SourceLink sessionId={session_id} onLeave={onLeave} />
      ) : (
        <Said sessionId={session_id} messageIds={message_ids.slice(-SHOWN)} onLeave={onLeave} />
      )}
    </section>
  );
}

interface SaidProps {
  sessionId: string;
  messageIds: string[];
  onLeave: () => void;
}

/** Those of the messages that are in this chat: what was said again in another one is not gone. */
function Said({ sessionId, messageIds, onLeave }: SaidProps) {
  const found = useQueries({
    queries: messageIds.map((messageId) => ({
      queryKey: [...keys.sessions, "message", sessionId, messageId],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call("get", "/api/sessions/{session_id}/messages/{message_id}", { path: { session_id: sessionId, message_id: messageId }, signal }),
      staleTime: Infinity,
    })),
  });
  if (found.every((each) => each.error)) return <p className="soft">{words.isGoneMessage}</p>;
  return found.map(({ data, error }, place) => {
    if (error) return null;
    if (!data) return <Spinner key={messageIds[place]} />;
    const message = data as unknown as ChatMessage;
    const text = plainText(textOf(message));
    return (
      <figure key={messageIds[place]} className="said">
        {text && <blockquote>{text}</blockquote>}
        <figcaption className="small soft">
          {message.role === "user" ? words.youSaid : words.answerSaid} {ago(message.metadata?.created_at)} ·{" "}
          <SourceLink sessionId={sessionId} messageId={messageIds[place]!} onLeave={onLeave} />
        </figcaption>
      </figure>
    );
  });
}
