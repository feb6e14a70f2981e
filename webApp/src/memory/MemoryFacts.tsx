import type { Memory } from "../api/types";
import { strings } from "../strings";
import { nameOf, saidOf } from "./graphParts";
import { ago, dayOf } from "./moments";

const words = strings.memory;
const EVERY_AGENT = "*";

/** What is known of a memory beside its text. */
export function MemoryFacts({ memory, onOpen }: { memory: Memory; onOpen: (id: string) => void }) {
  const { triple, superseded_by } = memory;
  const facts: [string, string][] = [
    [words.category, words.categories[memory.category] ?? memory.category],
    [words.agent, memory.agent_name === EVERY_AGENT ? words.everyAgent : memory.agent_name],
    [words.importance, `${Math.round(memory.importance * 100)} %`],
    [words.tier, words.tiers[memory.tier] ?? memory.tier],
    [words.trust, words.trusts[memory.trust] ?? memory.trust],
    [words.origin, words.origins[memory.origin] ?? memory.origin],
    [words.validFrom, dayOf(memory.valid_from)],
    [words.validTo, memory.valid_to ? dayOf(memory.valid_to) : words.stillTrue],
    [words.recalls, words.recallTimes(memory.recalls, memory.recalled_at && ago(memory.recalled_at))],
  ];
  if (memory.expires_at) facts.push([words.expires, dayOf(memory.expires_at)]);
  if (memory.tags.length) facts.push([words.tags, memory.tags.join(", ")]);
  if (triple) facts.push([words.fact, `${nameOf(triple.subject)} → ${saidOf({ predicate: triple.predicate, is_negated: memory.is_negated })} → ${nameOf(triple.object)}`]);
  return (
    <>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {superseded_by && (
        <p>
          <button type="button" className="text-link" onClick={() => onOpen(superseded_by)}>
            {words.replaces}
          </button>
        </p>
      )}
    </>
  );
}
