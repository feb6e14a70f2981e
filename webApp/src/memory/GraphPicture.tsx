import { useMemo, useRef } from "react";
import { Button } from "../shell/Button";
import { Waiting } from "../shell/Spinner";
import { strings } from "../strings";
import type { Point } from "./forceLayout";
import { degreesOf, labelOf, mostConnected, nodeName, short, wordsAt, type Line, type Node } from "./graphParts";
import type { Chosen } from "./GraphPanel";
import { useCamera } from "./useCamera";
import { useLayout } from "./useLayout";
import { boxOf, namePlaces, overLine, under, wordPlaces, type Dot } from "./wordPlaces";

const words = strings.graph;
const WORDS_FROM = 0.9; // the zoom from which every line has its words
const NAMES_FROM = 0.6; // and every name is written
const ALWAYS = 14; // of the names with the most lines, and of the lines between such; the rest where the pointer is
const TEXT_PX = 13; // whatever the zoom
const LINE_TEXT = 0.92; // of that, the words on a line
const LINE_LETTERS = 22;
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
  const textSize = TEXT_PX / camera.zoom;
  const letters = Math.min(MOST_LETTERS, Math.round(size.width / LETTER_PX));
  const nameOf = (place: number) => short(nodeName(nodes[place]!), letters);
  // Not while a hand moves it: of 500 lines the words have millions of places to be compared.
  const { drawn, dots, nameAt, wordAt } = useMemo(() => placed(points, nodes, held, letters, camera.zoom), [points, nodes, held, letters, camera.zoom]);
  const shift = `translate(${size.width / 2} ${size.height / 2}) scale(${camera.zoom}) translate(${-camera.x} ${-camera.y})`;
  return (
    <div className="graph-frame" ref={frame}>
      <div className="graph-keys" tabIndex={0} role="group" aria-label={`${words.picture(nodes.length, facts)}. ${words.keys}`} onKeyDown={onKeyDown} {...pointer}>
        {points === null || !size.width ? (
          <Waiting label={words.drawing} />
        ) : (
          <svg className="graph" width={size.width} height={size.height} aria-hidden="true" onClick={() => choose(null)}>
            <g transform={shift} data-lit={lit !== null} fontSize={textSize} strokeWidth={textSize / 2}>
              {drawn.map((line) => {
                const [a, b] = [dots.get(line.a)!, dots.get(line.b)!];
                const isLit = lit?.lines.has(line.id) ?? false;
                const at = wordAt.get(line.id);
                const { x, y } = at ?? overLine(wordsAt(a, b));
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
                    <text x={x} y={y} fontSize={textSize * LINE_TEXT} data-quiet={!(isLit || (lit === null && at))}>
                      {line.words}
                    </text>
                  </g>
                );
              })}
              {[...dots].map(([place, dot]) => {
                const isLit = lit?.nodes.has(place) ?? false;
                const at = nameAt.get(place);
                const { x, y } = at ?? under(dot, textSize);
                return (
                  <g
                    key={nodes[place]!.id}
                    className="graph-node"
                    data-lit={isLit}
                    data-chosen={chosen?.what === "node" && chosen.place === place}
                    onClick={(event) => {
                      event.stopPropagation();
                      choose({ what: "node", place });
                    }}
                  >
                    <circle cx={dot.x} cy={dot.y} r={dot.radius} />
                    <text x={x} y={y} data-quiet={!(at || isLit)}>
                      {nameOf(place)}
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

/** Where everything stands: names beside their dots, and words over their lines where there is room. */
function placed(points: readonly Point[] | null, nodes: readonly Node[], held: Line[], letters: number, zoom: number) {
  const drawn = held.filter((line) => line.a !== line.b).map((line) => ({ ...line, words: short(labelOf(line), LINE_LETTERS) }));
  const degrees = degreesOf(nodes.length, held);
  const named = mostConnected(degrees, ALWAYS);
  const textSize = TEXT_PX / zoom;
  const dots = new Map<number, Dot>();
  for (const [place, at] of (points ?? []).entries()) {
    const lines = degrees[place];
    if (lines) dots.set(place, { ...at, radius: 5 + Math.min(9, 2 * Math.sqrt(lines)) });
  }
  const written = [...dots.keys()].filter((place) => zoom >= NAMES_FROM || named.has(place));
  const names = new Map(written.map((place) => [place, short(nodeName(nodes[place]!), letters)]));
  const nameAt = namePlaces(names, dots, textSize);
  const boxes = [...nameAt].map(([place, at]) => boxOf(names.get(place)!, at, textSize));
  const isWorded = ({ a, b }: Line) => dots.size > 0 && (zoom >= WORDS_FROM || (named.has(a) && named.has(b)));
  const wordAt = wordPlaces(drawn.filter(isWorded), dots, boxes, textSize * LINE_TEXT);
  return { drawn, dots, nameAt, wordAt };
}

/** What is chosen and what is beside it; null: nothing is, and all is equally bright. */
function litBy(chosen: Chosen | null, held: Line[]): { lines: Set<string>; nodes: Set<number> } | null {
  if (!chosen) return null;
  const lines = held.filter((line) => (chosen.what === "line" ? line.id === chosen.id : line.a === chosen.place || line.b === chosen.place));
  const nodes = new Set(lines.flatMap((line) => [line.a, line.b]));
  if (chosen.what === "node") nodes.add(chosen.place);
  return { lines: new Set(lines.map((line) => line.id)), nodes };
}
