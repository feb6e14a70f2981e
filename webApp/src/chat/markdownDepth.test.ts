import { expect, test } from "vitest";
import { inlineCrowd, inlineDepth } from "./markdownDepth";

test.each([
  ["plain", 0],
  ["one *two* _three_ [four](x) [five]", 1],
  ["**bold _and_ more**", 3],
  ["[a *b* [c]](x)", 2],
  ["- *args\n- *args\n- *args", 1],
  ["*never\nclosed\n\n*never", 1],
  ["2 * 3 * 4", 0],
  ["```\n[[\n[[\n```\nafter", 2],
  ["![".repeat(9) + "a" + "](x)".repeat(9), 9],
  ["*a ".repeat(9) + "a*".repeat(9), 9],
  ["a*".repeat(9), 1],
])("%j: %d", (text, depth) => expect(inlineDepth(text)).toBe(depth));

test.each([
  ["plain", 0],
  ["*a*a*a", 3],
  ["**a** [b](x)", 4],
  ["*a*\n*b*\n\n*c*", 4],
  ["- **a**\n- **b**\n* **c**", 3],
  ["*a\n#*a\n    - *a\n* \n*a", 5],
])("%j: %d in a crowd", (text, count) => expect(inlineCrowd(text)).toBe(count));
