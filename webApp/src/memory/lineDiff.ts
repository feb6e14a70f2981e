/** What differs between two texts, line by line. */
export interface DiffLine {
  kind: "same" | "added" | "removed";
  text: string;
}

const MOST_CELLS = 4_000_000; // above, the differing middles stand as two blocks: no table of that size for a look

/** The longest common subsequence of the lines, after what is equal at both ends is set aside. */
export function lineDiff(before: string, after: string): DiffLine[] {
  const a = before === "" ? [] : before.split("\n");
  const b = after === "" ? [] : after.split("\n");
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return [
    ...a.slice(0, head).map(same),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(same),
  ];
}

export const differs = (lines: readonly DiffLine[]): boolean => lines.some((line) => line.kind !== "same");

const same = (text: string): DiffLine => ({ kind: "same", text });
const added = (text: string): DiffLine => ({ kind: "added", text });
const removed = (text: string): DiffLine => ({ kind: "removed", text });

function middle(a: string[], b: string[]): DiffLine[] {
  const width = b.length + 1;
  if (!a.length || !b.length || a.length * b.length > MOST_CELLS) return [...a.map(removed), ...b.map(added)];
  const longest = new Uint16Array((a.length + 1) * width); // lines, of which 64 kB have at most 65,536
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        a[i] === b[j] ? longest[(i + 1) * width + j + 1]! + 1 : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push(same(a[i]!));
      i++;
      j++;
    } else if (longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!) lines.push(removed(a[i++]!));
    else lines.push(added(b[j++]!));
  }
  return [...lines, ...a.slice(i).map(removed), ...b.slice(j).map(added)];
}
