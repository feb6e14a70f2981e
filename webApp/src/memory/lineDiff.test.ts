import { expect, test } from "vitest";
import { differs, lineDiff, type DiffLine } from "./lineDiff";

const side = (lines: DiffLine[], not: DiffLine["kind"]) =>
  lines
    .filter((line) => line.kind !== not)
    .map((line) => line.text)
    .join("\n");

test.each([
  ["", ""],
  ["a", ""],
  ["", "a\nb"],
  ["a\nb\nc", "a\nx\nc"],
  ["# Tea\n\n- green\n- black", "# Tea\n\n- black\n- white\n\nMore"],
  ["x\nx\nx", "x\nx"],
])("both texts can be read from the lines of %j and %j", (before, after) => {
  const lines = lineDiff(before, after);
  expect(side(lines, "added")).toBe(before);
  expect(side(lines, "removed")).toBe(after);
});

test("what is equal is not told as changed", () => {
  expect(lineDiff("a\nb\nc", "a\nc").map((line) => line.kind)).toEqual(["same", "removed", "same"]);
  expect(differs(lineDiff("a\nb", "a\nb"))).toBe(false);
});

test("texts that have nothing in common and very many lines are still two blocks at once", () => {
  const many = (word: string) => Array.from({ length: 30_000 }, (_, i) => `${word}${i % 7}`).join("\n");
  expect(lineDiff(many("a"), many("b"))).toHaveLength(60_000);
});
