/** How deep the marks of a text stand in one another, and how many side by side: the parser is slower by the square of it, or worse. */
import { FENCE } from "./markdownBlocks";

const BEGINS = /^\s*(?:$|#|[-*+]\s)/; // what stood open before such a line stays as it is written
const MARK = /[[\]]|\*+|_+|~+/g;

/** Brackets and emphasis, at the deepest place; what is never closed counts as well. In code, where they mean nothing, only within a line. */
export function inlineDepth(text: string): number {
  let open: Record<string, number> = {};
  let isCode = false;
  let deepest = 0;
  for (const line of text.split("\n")) {
    if (FENCE.test(line)) isCode = !isCode;
    if (isCode || BEGINS.test(line)) open = {};
    for (const { 0: mark, index } of line.matchAll(MARK)) {
      const kind = mark[0] === "]" ? "[" : mark[0]!;
      const there = open[kind] ?? 0;
      if (mark === "]" || (mark !== "[" && there > 0 && closes(line, index))) open[kind] = Math.max(0, there - mark.length);
      else if (mark === "[" || isText(line[index + mark.length])) open[kind] = there + mark.length;
      deepest = Math.max(deepest, (open["["] ?? 0) + (open["*"] ?? 0) + (open._ ?? 0) + (open["~"] ?? 0));
    }
  }
  return deepest;
}

const ENDS = /^(?:\s*$| {0,3}[-*+]\s+\S)/; // a paragraph, for certain

/** How many marks there are in that paragraph which has most of them, in code as well. */
export function inlineCrowd(text: string): number {
  let most = 0;
  let count = 0;
  for (const line of text.split("\n")) {
    if (ENDS.test(line)) count = 0;
    count += line.match(MARK)?.length ?? 0;
    most = Math.max(most, count);
  }
  return most;
}

const isText = (letter: string | undefined): boolean => letter !== undefined && /\S/.test(letter);
const closes = (line: string, index: number): boolean => isText(line[index - 1]);
