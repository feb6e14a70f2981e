import { strings } from "../strings";
import type { Chosen } from "./GraphPanel";
import { nodeName, saidOf, type Line, type Node } from "./graphParts";
import { dayOf } from "./moments";

const words = strings.graph;

/** The same in words: name by name, what is known of each. */
export function GraphList({ nodes, held, onChoose }: { nodes: Node[]; held: Line[]; onChoose: (chosen: Chosen) => void }) {
  const names = new Map(nodes.map((node) => [node.id, nodeName(node)]));
  const places = new Map(nodes.map((node, place) => [node.id, place]));
  const facts = held.flatMap((line) => line.facts);
  const subjects = [...new Set(facts.map((fact) => fact.source))].sort();
  return (
    <div className="graph-list">
      {subjects.map((subject) => (
        <section key={subject}>
          <h2>
            <button type="button" className="text-link" onClick={() => onChoose({ what: "node", place: places.get(subject) ?? 0 })}>
              {names.get(subject)}
            </button>
          </h2>
          <ul>
            {facts
              .filter((fact) => fact.source === subject)
              .map((fact) => (
                <li key={fact.memory_id}>
                  {saidOf(fact)} <strong>{fact.target === subject ? nodes[places.get(subject) ?? 0]?.name : (names.get(fact.target) ?? fact.target)}</strong>{" "}
                  <span className="small soft">
                    {words.since(dayOf(fact.valid_from))}
                    {fact.valid_to && `, ${words.until(dayOf(fact.valid_to))}`}
                  </span>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
