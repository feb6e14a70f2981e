import { expect, test } from "vitest";
import type { Preview } from "../api/types";
import { linesOf, percent, promptParts, segmentsOf, type Part } from "./parts";

const part = (name: Part["name"], tokens: number, more: Partial<Part> = {}): Part => ({ name, tokens, share: 0, state: "in", reason: "", ...more });

test("the bar is full, in order, and the smallest part can be seen", () => {
  const segments = segmentsOf([part("system", 10_000), part("notes", 0), part("history", 1), part("question", 1)]);
  expect(segments.map(({ name }) => name)).toEqual(["system", "history", "question"]);
  expect(segments.at(-1)!.x + segments.at(-1)!.width).toBeCloseTo(100);
  expect(Math.min(...segments.map(({ width }) => width))).toBeGreaterThan(0.7);
  expect(segments[1]!.x).toBeCloseTo(segments[0]!.width);
  expect(segmentsOf([])).toEqual([]);
});

test("what is left free is no part of the prompt", () => {
  const preview = { parts: [part("system", 1), part("reserve", 2), part("room", 3)] } as Preview;
  expect(promptParts(preview).map(({ name }) => name)).toEqual(["system"]);
});

test("recalled lines say why, the strongest first, and survive fields of any kind", () => {
  const parts = { words: 1.7, meaning: 1.8, around: 0.1, recent: 0.2, importance: -1, people_words: 9 };
  const [line, odd] = linesOf(
    part("recalled", 1, { lines: [{ id: "a", what: "memory", text: "t", tokens: 3, parts, source: { title: "T" } }, { text: 1, parts: "x", source: 2 }] }),
  );
  expect(line).toMatchObject({ isMemory: true, title: "T", tokens: 3, reasons: ["its meaning", "the same words", "being recent"] });
  expect(odd).toMatchObject({ text: "", title: null, reasons: [] });
});

test("shares are said so that nothing looks like nothing", () => {
  expect([0, 0.0004, 0.005, 0.0123, 0.5, 1].map(percent)).toEqual(["0.0 %", "< 0.1 %", "0.5 %", "1.2 %", "50 %", "100 %"]);
});
