/** A growing text cut into blocks that no longer change, so that only the last one is drawn anew while it streams. */

export const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const DEFINITION = /^ {0,3}\[[^\]]{1,200}\]:/m; // of a link or footnote: any block may refer to it
const JOINS = /^(\s|[-*+]\s|\d{1,9}[.)]\s|[|>])/; // goes on with a list, a quote or a table

/** Joined again they are the text. Cuts are made only at blank lines, outside of code, before something new. */
export function blocksOf(text: string): string[] {
  if (DEFINITION.test(text)) return [text];
  const blocks: string[] = [];
  let fence: string | null = null;
  let isBlank = false;
  let start = 0;
  let place = 0;
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === null && isBlank && line !== "" && !JOINS.test(line)) {
      blocks.push(text.slice(start, place));
      start = place;
    }
    if (mark) {
      if (fence === null) fence = mark;
      else if (mark[0] === fence[0] && mark.length >= fence.length) fence = null;
    }
    isBlank = line.trim() === "";
    place += line.length + 1;
  }
  return [...blocks, text.slice(start)];
}
