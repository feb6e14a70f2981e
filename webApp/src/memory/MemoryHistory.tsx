import type { WholeMemory } from "../api/types";
import { strings } from "../strings";
import { ago, minuteOf } from "./moments";

const words = strings.memory;

/** What was done to it, by whom and why, the newest first. */
export function MemoryHistory({ changes }: { changes: WholeMemory["changes"] }) {
  return (
    <section>
      <h3>{words.history}</h3>
      {changes.length === 0 && <p className="soft">{words.noHistory}</p>}
      <ol className="history">
        {changes.map((each, place) => (
          <li key={place} data-undone={each.undone}>
            <span>
              {words.operations[each.operation] ?? each.operation} {words.by(words.actors[each.actor] ?? each.actor)}
              {each.reason && `: ${each.reason}`}
              {each.undone && ` (${words.undone})`}
            </span>
            <time className="small soft" dateTime={each.created_at} title={minuteOf(each.created_at)}>
              {ago(each.created_at)}
            </time>
          </li>
        ))}
      </ol>
    </section>
  );
}
