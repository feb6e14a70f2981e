import { Button } from "../shell/Button";
import { CloseIcon } from "../shell/icons";
import { Link } from "../shell/Link";
import { Spinner } from "../shell/Spinner";
import { strings } from "../strings";
import { nodeName, type Fact, type Line, type Node } from "./graphParts";
import { dayOf } from "./moments";
import { SourceLink } from "./SourceLink";
import { useMemory } from "./useMemories";

const words = strings.graph;
const MOST = 30; // facts of one name that are drawn

export type Chosen = { what: "node"; place: number } | { what: "line"; id: string };

interface Props {
  chosen: Chosen | null;
  nodes: Node[];
  held: Line[];
  onClose: () => void;
}

/** What is known of the chosen name or line, and from where. */
export function GraphPanel({ chosen, nodes, held, onClose }: Props) {
  if (!chosen) return <p className="graph-panel soft">{words.choose}</p>;
  const lines = held.filter((line) => (chosen.what === "line" ? line.id === chosen.id : line.a === chosen.place || line.b === chosen.place));
  const facts = lines.flatMap((line) => line.facts);
  const ends = chosen.what === "node" ? [chosen.place] : lines.flatMap((line) => (line.a === line.b ? [line.a] : [line.a, line.b]));
  return (
    <section className="graph-panel card" aria-live="polite">
      <div className="graph-panel-head">
        <h2>{ends.map((place) => nodes[place] && nodeName(nodes[place])).join(" – ")}</h2>
        <Button look="quiet" size="small" label={words.close} icon={<CloseIcon />} onClick={onClose} />
      </div>
      <p className="small soft">{words.facts(facts.length)}</p>
      <ul className="graph-facts">
        {facts.slice(0, MOST).map((fact) => (
          <FactLine key={fact.memory_id} fact={fact} />
        ))}
      </ul>
    </section>
  );
}

function FactLine({ fact }: { fact: Fact }) {
  const { data } = useMemory(fact.memory_id);
  const source = data?.source;
  return (
    <li>
      {data ? <p>{data.text}</p> : <Spinner />}
      <p className="small soft">
        {words.since(dayOf(fact.valid_from))}
        {fact.valid_to && `, ${words.until(dayOf(fact.valid_to))}`}
        {source?.session_id && (
          <>
            {" · "}
            <SourceLink sessionId={source.session_id} messageId={source.message_ids.at(-1)} />
          </>
        )}
        {" · "}
        <Link to={`/memory?id=${fact.memory_id}`}>{words.open}</Link>
      </p>
    </li>
  );
}
