/** Tables, task lists and the like, for reading only: remark-gfm also brings what writes them, 7 kB more to load. */
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import type { Processor } from "unified";

export function readGfm(this: Processor): void {
  const data = this.data() as { micromarkExtensions?: unknown[]; fromMarkdownExtensions?: unknown[] };
  (data.micromarkExtensions ??= []).push(gfm());
  (data.fromMarkdownExtensions ??= []).push(gfmFromMarkdown());
}

// Emphasis, links and what else is looked for from each mark backwards.
const marks = ["attention", "labelStartImage", "labelStartLink", "labelEnd", "strikethrough", "gfmFootnoteCall", "gfmPotentialFootnoteCall"];

/** The same, but that `*`, `_`, `~`, `[` and `]` in a line are letters like any other. */
export function readGfmWithoutMarks(this: Processor): void {
  readGfm.call(this);
  (this.data() as { micromarkExtensions: unknown[] }).micromarkExtensions.push({ disable: { null: marks } });
}
