import { expect, test } from "vitest";
import type { Usage } from "../api/types";
import { chartOf, daysFrom, niceTop, short, since, sumsOf, type Row } from "./days";

const NOW = Date.parse("2026-11-15T23:59:00Z");
const row = (day: string, agent_name: string, model: string, read: number, written: number, revision_tokens = 0): Row => ({
  day, agent_name, model, turns: 1, input_tokens: read, output_tokens: written, total_tokens: read + written, revision_tokens,
});
const usage = (...rows: Row[]) => ({ since: "2026-11-13", rows }) as Usage;

test("a range ends today and has every day once, over the change of a month and of the clock", () => {
  expect(since(7, NOW)).toBe("2026-11-09");
  expect(daysFrom("2026-11-13", NOW)).toEqual(["2026-11-13", "2026-11-14", "2026-11-15"]);
  expect(daysFrom(since(30, NOW), NOW)).toHaveLength(30);
  expect(daysFrom("1990-01-01", NOW)).toHaveLength(366);
  expect(daysFrom("2027-01-01", NOW)).toEqual([]);
});

test("a day's parts add up to its total, however it is split", () => {
  const told = usage(row("2026-11-14", "a", "m", 100, 20, 30), row("2026-11-14", "b", "m", 5, 5, 8), row("2026-11-15", "a", "n", 1, 1));
  for (const split of ["kind", "agent", "model"] as const) {
    const { days } = chartOf(told, split, NOW);
    expect(days.map(({ total }) => total)).toEqual([0, 130, 2]);
    for (const { values, total } of days) expect(values.reduce((sum, each) => sum + each, 0)).toBe(total);
  }
  expect(chartOf(told, "kind", NOW).days[1]!.values).toEqual([70, 22, 38]);
  expect(chartOf(told, "agent", NOW).series).toEqual(["a", "b"]);
});

test("many models are shown as a few and the others", () => {
  const rows = Array.from({ length: 9 }, (_, index) => row("2026-11-15", "a", `m${index}`, index + 1, 0));
  const { series, days } = chartOf(usage(...rows), "model", NOW);
  expect(series).toEqual(["m8", "m7", "m6", "m5", "others"]);
  expect(days.at(-1)!.values).toEqual([9, 8, 7, 6, 15]);
});

test("the axis ends at a round number", () => {
  expect([0, 7, 11, 100, 101, 4_500, 999_999].map(niceTop)).toEqual([10, 10, 20, 100, 200, 5_000, 1_000_000]);
  expect([0, 950, 1_000, 2_500, 45_114, 1_995_861].map(short)).toEqual(["0", "950", "1k", "2.5k", "45k", "2M"]);
});

test("sums are by agent and model, the most used first", () => {
  const sums = sumsOf([row("2026-11-14", "a", "m", 1, 1), row("2026-11-15", "a", "m", 2, 2), row("2026-11-15", "b", "m", 50, 0)]);
  expect(sums.map(({ agent, model, turns, total }) => [agent, model, turns, total])).toEqual([["b", "m", 1, 50], ["a", "m", 2, 6]]);
});
