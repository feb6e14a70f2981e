import type { WholeMemory } from "../api/types";
import { Spinner } from "../shell/Spinner";
import { strings } from "../strings";
import { correctionOf } from "./history";
import { ago } from "./moments";
import { SourceLink } from "./SourceLink";
import { useSaid } from "./useSaid";

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
  const found = useSaid(sessionId, messageIds);
  if (found.every((each) => each.error)) return <p className="soft">{words.isGoneMessage}</p>;
  return found.map(({ said, error }, place) => {
    if (error) return null;
    if (!said) return <Spinner key={messageIds[place]} />;
    return (
      <figure key={messageIds[place]} className="said">
        {said.text && <blockquote>{said.text}</blockquote>}
        <figcaption className="small soft">
          {said.when} · <SourceLink sessionId={sessionId} messageId={messageIds[place]!} onLeave={onLeave} />
        </figcaption>
      </figure>
    );
  });
}
