import { expect, test } from "vitest";
import { plainText } from "./plainText";

test.each([
  ["Etna is in **Sicily**, _not_ in `Rome`.", "Etna is in Sicily, not in Rome."],
  ["## Volcanoes\n\nA *short* list:\n\n- Etna\n- [ ] Fuji\n", "Volcanoes\nA short list:\n• Etna\n• Fuji"],
  ["| name | height |\n|---|---:|\n| Etna | 3,357 m |", "name · height\nEtna · 3,357 m"],
  ["> A quote, and a [link](https://example.org/a_(b)).\n\n---\nEnd ~~now~~", "A quote, and a link.\nEnd now"],
  ["```python\nx = 1\n```", "x = 1"],
  ["![a cat](https://example.org/cat.png)", "a cat"],
  ["1. first\n2. second", "1. first\n2. second"],
  ["a \\* b", "a * b"],
])("%j is read as %j", (markdown, plain) => {
  expect(plainText(markdown)).toBe(plain);
});

test.each(["The user lives in Lisbon.", "snake_case_names and 2 * 3 * 4", "C# and #tags", "<img src=x onerror=\"x\">", "5 - 3", "a < b > c"])(
  "what is no Markdown stays: %j",
  (text) => {
    expect(plainText(text)).toBe(text);
  },
);

test("a long hostile text takes no time", () => {
  const began = performance.now();
  for (const each of ["*", "_", "`", "[", "|", "> ", "# ", "- ", "**a", "![(", "\\"]) plainText(each.repeat(8_000));
  expect(performance.now() - began).toBeLessThan(1_000);
});
