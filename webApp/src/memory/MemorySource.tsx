import { useQuery } from "@tanstack/react-query";
import { call } from "../api/client";
import { keys } from "../api/query";
import type { Memory } from "../api/types";
import { textOf, type ChatMessage } from "../chat/message";
import { Spinner } from "../shell/Spinner";
import { strings } from "../strings";
import { ago } from "./moments";
import { SourceLink } from "./SourceLink";

const words = strings.memory;
const SHOWN = 3; // the last messages that said it

/** Where it is known from: what was said, and the way there. */
export function MemorySource({ memory, onLeave }: { memory: Memory; onLeave: () => void }) {
  const { session_id, message_ids } = memory.source;
  return (
    <section>
      <h3>{words.source}</h3>
      {session_id === null ? (
        <p className="soft">{memory.origin === "user" ? words.sourceYou : words.sourceUnknown}</p>
      ) : message_ids.length === 0 ? (
        <SourceLink sessionId={session_id} onLeave={onLeave} />
      ) : (
        message_ids.slice(-SHOWN).map((each) => <Said key={each} sessionId={session_id} messageId={each} onLeave={onLeave} />)
      )}
    </section>
  );
}

function Said({ sessionId, messageId, onLeave }: { sessionId: string; messageId: string; onLeave: () => void }) {
  const { data, error } = useQuery({
    queryKey: [...keys.sessions, "message", sessionId, messageId],
    queryFn: ({ signal }) =>
      call("get", "/api/sessions/{session_id}/messages/{message_id}", { path: { session_id: sessionId, message_id: messageId }, signal }),
    staleTime: Infinity,
  });
  if (error) return <p className="soft">{words.isGoneMessage}</p>;
  if (!data) return <Spinner />;
  const message = data as unknown as ChatMessage;
  return (
    <figure className="said">
      <blockquote>{textOf(message)}</blockquote>
      <figcaption className="small soft">
        {message.role === "user" ? words.youSaid : words.answerSaid} {ago(message.metadata?.created_at)} ·{" "}
        <SourceLink sessionId={sessionId} messageId={messageId} onLeave={onLeave} />
      </figcaption>
    </figure>
  );
}
