import { useMemo } from "react";
import { strings } from "../strings";
import { differs, lineDiff, type DiffLine } from "./lineDiff";

const SIGNS = { same: " ", added: "+", removed: "−" } as const;
const AROUND = 3; // equal lines that are shown beside a change
const MOST_LINES = 1_000; // drawn

/** What changed between two texts; long equal stretches are left out. */
export function Diff({ before, after }: { before: string; after: string }) {
  const lines = useMemo(() => lineDiff(before, after), [before, after]);
  if (!differs(lines)) return <p className="soft">{strings.notes.same}</p>;
  return (
    <pre className="diff" tabIndex={0}>
      {near(lines).map((line, place) =>
        line === null ? (
          <span key={place} className="diff-gap">
            …{"\n"}
          </span>
        ) : (
          <span key={place} data-kind={line.kind}>
            {SIGNS[line.kind]} {line.text}
            {"\n"}
          </span>
        ),
      )}
    </pre>
  );
}

/** The lines near a change; null stands for those between. */
function near(lines: readonly DiffLine[]): (DiffLine | null)[] {
  const isNear = new Uint8Array(lines.length);
  lines.forEach((line, place) => {
    if (line.kind !== "same") isNear.fill(1, Math.max(0, place - AROUND), place + AROUND + 1);
  });
  const shown: (DiffLine | null)[] = [];
  lines.forEach((line, place) => {
    if (isNear[place]) shown.push(line);
    else if (shown.at(-1) !== null) shown.push(null);
  });
  return shown.slice(0, MOST_LINES);
}
