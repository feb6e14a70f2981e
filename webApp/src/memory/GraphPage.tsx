import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState, type FormEvent } from "react";
import { call } from "../api/client";
import { keys } from "../api/query";
import type { Graph } from "../api/types";
import { Button } from "../shell/Button";
import { EmptyState } from "../shell/EmptyState";
import { ErrorCard } from "../shell/ErrorCard";
import { Page } from "../shell/Page";
import { Waiting } from "../shell/Spinner";
import { strings } from "../strings";
import "./answer.css";
import "./graph.css";
import { GraphList } from "./GraphList";
import { GraphPanel, type Chosen } from "./GraphPanel";
import { GraphPicture } from "./GraphPicture";
import { linesAt, linesOf, spanOf } from "./graphParts";
import "./memory.css";
import { Select } from "./Select";
import { TimeSlider } from "./TimeSlider";
import { Views } from "../shell/Views";

const words = strings.graph;
const VIEWS = [
  ["picture", words.asPicture],
  ["list", words.asList],
] as const;
const DEPTHS = ["1", "2", "3"].map((each) => [each, each] as const);

export default function GraphPage() {
  const [around, setAround] = useState({ entity: "", depth: 2 });
  const { entity, depth } = around;
  const { data, error, refetch } = useQuery({
    queryKey: [...keys.memories, "graph", entity, depth],
    queryFn: ({ signal }) =>
      call("get", "/api/memories/graph", { query: { entity: entity || undefined, depth: entity ? depth : undefined, superseded: true }, signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={strings.nav.graph} lead={words.lead}>
      {(entity || (data && data.edges.length > 0)) && <Around {...around} onShow={setAround} />}
      {error ? (
        <ErrorCard error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Waiting />
      ) : data.edges.length === 0 ? (
        <EmptyState title={entity ? words.nothingAround(entity) : words.emptyTitle}>{entity ? null : words.emptyLead}</EmptyState>
      ) : (
        <GraphView graph={data} />
      )}
    </Page>
  );
}

function GraphView({ graph }: { graph: Graph }) {
  const [view, setView] = useState<"picture" | "list">("picture");
  const [moment, setMoment] = useState<number | null>(null);
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [shown, setShown] = useState(graph);
  if (shown !== graph) {
    setShown(graph); // places are of another graph now
    setChosen(null);
  }
  const lines = useMemo(() => linesOf(graph), [graph]);
  const held = useMemo(() => linesAt(lines, moment), [lines, moment]);
  const span = useMemo(() => spanOf(graph.edges), [graph]);
  return (
    <>
      <div className="graph-bar">
        <Views label={words.views} views={VIEWS} shown={view} onChoose={setView} />
        {span && <TimeSlider span={span} moment={moment} onChange={setMoment} />}
      </div>
      {graph.truncated && <p className="small soft">{words.truncated}</p>}
      <div className="graph-body">
        {held.length === 0 ? (
          <EmptyState title={words.nothingThen} />
        ) : view === "picture" ? (
          <GraphPicture nodes={graph.nodes} lines={lines} held={held} chosen={chosen} onChoose={setChosen} />
        ) : (
          <GraphList nodes={graph.nodes} held={held} onChoose={setChosen} />
        )}
        <GraphPanel chosen={chosen} nodes={graph.nodes} held={held} onClose={() => setChosen(null)} />
      </div>
    </>
  );
}

interface AroundProps {
  entity: string;
  depth: number;
  onShow: (around: { entity: string; depth: number }) => void;
}

function Around({ entity, depth, onShow }: AroundProps) {
  const [typed, setTyped] = useState(entity);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onShow({ entity: typed.trim(), depth });
  };
  return (
    <form className="around" role="search" onSubmit={submit}>
      <label className="field">
        <span>{words.around}</span>
        <input className="input" maxLength={500} placeholder={words.aroundHint} value={typed} onChange={(event) => setTyped(event.target.value)} />
      </label>
      <Select label={words.depth} value={String(depth)} choices={DEPTHS} onChange={(steps) => onShow({ entity: typed.trim(), depth: Number(steps) })} />
      <Button type="submit">{words.show}</Button>
    </form>
  );
}
