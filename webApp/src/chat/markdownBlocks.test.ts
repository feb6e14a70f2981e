import { expect, test } from "vitest";
import { blocksOf } from "./markdownBlocks";

const long = ["# Title", "", "One.", "", "- a", "", "- b", "  more", "", "```js", "x", "", "y", "```", "", "| a |", "|---|", "", "End."].join("\n");

test("blocks joined are the text", () => {
  for (let end = 0; end <= long.length; end++) {
    expect(blocksOf(long.slice(0, end)).join("")).toBe(long.slice(0, end));
  }
});

test("lists, code and tables stay whole", () => {
  const blocks = blocksOf(long);
  expect(blocks).toContain("# Title\n\n");
  expect(blocks).toContain("```js\nx\n\ny\n```\n\n| a |\n|---|\n\n");
  expect(blocks.some((each) => each.startsWith("One.") && each.includes("- b\n  more"))).toBe(true);
  expect(blocks.at(-1)).toBe("End.");
});

test("what is finished does not change when more comes", () => {
  const before = blocksOf(long).slice(0, -1);
  expect(blocksOf(`${long} And more.\n\nAnother`).slice(0, before.length)).toEqual(before);
});

test("a code fence that is not closed takes all that follows", () => {
  expect(blocksOf("```\na\n\nb\n\nc")).toHaveLength(1);
});

test("a text with definitions is one block", () => {
  expect(blocksOf("[a]\n\ntext\n\n[a]: https://example.org")).toHaveLength(1);
});

test("100 kB of junk takes no time", () => {
  const began = performance.now();
  for (const junk of ["[".repeat(100_000), "`".repeat(100_000), "\n".repeat(100_000), "- \n\n".repeat(25_000)]) blocksOf(junk);
  expect(performance.now() - began).toBeLessThan(5_000);
});
