/** Markdown as plain text: what is quoted in a line or two is read, not drawn. */

type Mark = readonly [RegExp, string | ((whole: string, inside: string) => string)];

const LINES: readonly Mark[] = [
  [/^ {0,3}(?:```|~~~).*$/gm, ""], // the fences of code, not the code
  [/^ {0,3}(?:[-*_] ?){3,}$/gm, ""], // rules
  [/^[ \t]*\|(?:[ :-]*-[ :-]*\|)+[ \t]*$/gm, ""], // below a table's head
  [/^ {0,3}(?:> ?)+/gm, ""],
  [/^ {0,3}#{1,6}[ \t]+/gm, ""],
  [/^([ \t]*)[-*+][ \t]+(?:\[[ xX]\] )?/gm, "$1• "],
  [/^[ \t]*\|(.*)\|[ \t]*$/gm, (_, row) => row.split("|").map((cell) => cell.trim()).join(" · ")],
];
const WORDS: readonly Mark[] = [
  [/!?\[([^\]\n]{0,300})\]\((?:[^()\n]|\([^()\n]{0,300}\)){0,2000}\)/g, "$1"],
  [/(`{1,3})([^`\n]+)\1/g, "$2"],
  [/(\*\*|__|~~)(?=\S)([^\n]{0,500}?\S)\1/g, "$2"],
  [/(^|[^\w*])\*(?=[^\s*])([^*\n]*?[^\s*])\*(?![\w*])/g, "$1$2"],
  [/(^|[^\w_])_(?=[^\s_])([^_\n]*?[^\s_])_(?![\w_])/g, "$1$2"],
  [/\\([!-/:-@[-`{-~])/g, "$1"],
];

/** Each paragraph, item and row is a line of its own. */
export function plainText(markdown: string): string {
  let text = markdown;
  for (const [mark, kept] of [...LINES, ...WORDS]) text = text.replace(mark, kept as string);
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .join("\n")
    .trim();
}
