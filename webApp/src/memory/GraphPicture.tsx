import { useRef } from "react";
import { Button } from "../shell/Button";
import { Waiting } from "../shell/Spinner";
import { strings } from "../strings";
import { degreesOf, labelOf, mostConnected, nodeName, short, wordsAt, type Line, type Node } from "./graphParts";
import type { Chosen } from "./GraphPanel";
import { useCamera } from "./useCamera";
import { useLayout } from "./useLayout";

const words = strings.graph;
const WORDS_FROM = 0.9; // the zoom from which every line has its words
const NAMES_FROM = 0.6; // and every name is written
const ALWAYS = 14; // of the names with the most lines, and of the lines between such; the rest where the pointer is
const TEXT_PX = 13; // whatever the zoom
const LINE_TEXT = 0.92; // of that, the words on a line
const MOST_LETTERS = 24; // of a name
const LETTER_PX = 22; // of the picture's width for each: a name is centred, so at the edge half of it must fit

interface Props {
  nodes: Node[];
  /** All lines that ever were: they decide where names stand. */
  lines: Line[];
  /** Those that are drawn. */
  held: Line[];
  chosen: Chosen | null;
  onChoose: (chosen: Chosen | null) => void;
}

/** Drawn for the eye and the pointer; the list says the same to everybody else. */
export function GraphPicture({ nodes, lines, held, chosen, onChoose }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const points = useLayout(nodes.length, lines);
  const { camera, size, zoomIn, zoomOut, showAll, onKeyDown, hand } = useCamera(frame, points);
  const { hasMoved, ...pointer } = hand;
  const choose = (next: Chosen | null) => !hasMoved() && onChoose(next);
  const lit = litBy(chosen, held);
  const facts = held.reduce((sum, line) => sum + line.facts.length, 0);
  const degrees = degreesOf(nodes.length, held);
  const named = mostConnected(degrees, ALWAYS);
  const textSize = TEXT_PX / camera.zoom;
  const letters = Math.min(MOST_LETTERS, Math.round(size.width / LETTER_PX));
  const shift = `translate(${size.width / 2} ${size.height / 2}) scale(${camera.zoom}) translate(${-camera.x} ${-camera.y})`;
  return (
    <div className="graph-frame" ref={frame}>
      <div className="graph-keys" tabIndex={0} role="group" aria-label={`${words.picture(nodes.length, facts)}. ${words.keys}`} onKeyDown={onKeyDown} {...pointer}>
        {points === null || !size.width ? (
          <Waiting label={words.drawing} />
        ) : (
          <svg className="graph" width={size.width} height={size.height} aria-hidden="true" onClick={() => choose(null)}>
            <g transform={shift} data-lit={lit !== null} fontSize={textSize} strokeWidth={textSize / 2}>
              {held.filter((line) => line.a !== line.b).map((line) => {
                const [a, b] = [points[line.a]!, points[line.b]!];
                const isLit = lit?.lines.has(line.id) ?? false;
                const at = wordsAt(a, b);
                const isWorded = camera.zoom >= WORDS_FROM || (named.has(line.a) && named.has(line.b));
                return (
                  <g
                    key={line.id}
                    className="graph-line"
                    data-lit={isLit}
                    onClick={(event) => {
                      event.stopPropagation();
                      choose({ what: "line", id: line.id });
                    }}
                  >
                    <line x1={a.x} y1={a.y} x2={b.x} y2={b.y} className="graph-touch" />
                    <line x1={a.x} y1={a.y} x2={b.x} y2={b.y} className="graph-stroke" />
                    <text
                      x={at.x}
                      y={at.y - 4}
                      fontSize={textSize * LINE_TEXT}
                      data-quiet={!(isLit || (lit === null && isWorded))}
                    >
                      {short(labelOf(line), 22)}
                    </text>
                  </g>
                );
              })}
              {nodes.map((node, place) => {
                if (!degrees[place]) return null;
                const { x, y } = points[place]!;
                const isLit = lit?.nodes.has(place) ?? false;
                const radius = 5 + Math.min(9, 2 * Math.sqrt(degrees[place]!));
                return (
                  <g
                    key={node.id}
                    className="graph-node"
                    data-lit={isLit}
                    data-chosen={chosen?.what === "node" && chosen.place === place}
                    onClick={(event) => {
                      event.stopPropagation();
                      choose({ what: "node", place });
                    }}
                  >
                    <circle cx={x} cy={y} r={radius} />
                    <text x={x} y={y + radius + textSize * 1.1} data-quiet={!(camera.zoom >= NAMES_FROM || named.has(place) || isLit)}>
                      {short(nodeName(node), letters)}
                    </text>
                  </g>
                );
              })}
            </g>
          </svg>
        )}
      </div>
      <div className="graph-buttons">
        <Button size="small" label={words.zoomIn} icon="+" onClick={zoomIn} />
        <Button size="small" label={words.zoomOut} icon="−" onClick={zoomOut} />
        <Button size="small" onClick={showAll}>
          {words.fit}
        </Button>
      </div>
    </div>
  );
}

/** What is chosen and what is beside it; null: nothing is, and all is equally bright. */
function litBy(chosen: Chosen | null, held: Line[]): { lines: Set<string>; nodes: Set<number> } | null {
  if (!chosen) return null;
  const lines = held.filter((line) => (chosen.what === "line" ? line.id === chosen.id : line.a === chosen.place || line.b === chosen.place));
  const nodes = new Set(lines.flatMap((line) => [line.a, line.b]));
  if (chosen.what === "node") nodes.add(chosen.place);
  return { lines: new Set(lines.map((line) => line.id)), nodes };
}
