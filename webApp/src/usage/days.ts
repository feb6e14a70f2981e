/** What was used, day by day, as a chart and its tables need it. Days are the server's: UTC. */
import type { components } from "../api/schema";
import type { Usage } from "../api/types";
import { strings } from "../strings";

export type Row = components["schemas"]["Row"];
export type Split = "kind" | "agent" | "model";

const words = strings.usage;
const DAY_MS = 86_400_000;
const MOST_SERIES = 5;

const isoDay = (moment: number): string => new Date(moment).toISOString().slice(0, 10);
export const since = (days: number, now = Date.now()): string => isoDay(now - (days - 1) * DAY_MS);
export const number = (value: number): string => value.toLocaleString("en");
export const dayName = (day: string): string =>
  new Date(`${day}T12:00:00Z`).toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" });

export function short(value: number): string {
  if (value < 1_000) return String(value);
  if (value < 1_000_000) return `${trimmed(value / 1_000)}k`;
  return `${trimmed(value / 1_000_000)}M`;
}

const trimmed = (value: number): string => (value < 10 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.round(value)));

/** Every day of the range, those without a row as well. */
export function daysFrom(first: string, now = Date.now()): string[] {
  const days: string[] = [];
  const last = isoDay(now);
  for (let at = Date.parse(`${first}T00:00:00Z`); days.length < 366; at += DAY_MS) {
    const day = isoDay(at);
    if (day > last) break;
    days.push(day);
  }
  return days;
}

/** What one row adds to which series. */
function sharesOf(row: Row, split: Split): [string, number][] {
  if (split === "agent") return [[row.agent_name, row.total_tokens]];
  if (split === "model") return [[row.model, row.total_tokens]];
  const { input_tokens, output_tokens, revision_tokens } = row;
  // What went into memory is part of both; it is shown beside them, taken from what was read first.
  const ofInput = Math.min(revision_tokens, input_tokens);
  return [
    [words.read, input_tokens - ofInput],
    [words.written, output_tokens - Math.min(revision_tokens - ofInput, output_tokens)],
    [words.behind, revision_tokens],
  ];
}

export interface Day {
  day: string;
  turns: number;
  total: number;
  /** In the order of the series. */
  values: number[];
}

export interface Chart {
  series: string[];
  days: Day[];
  /** The end of the axis. */
  top: number;
}

export function chartOf(usage: Usage, split: Split, now = Date.now()): Chart {
  const sums = new Map<string, number>();
  for (const row of usage.rows) for (const [name, tokens] of sharesOf(row, split)) sums.set(name, (sums.get(name) ?? 0) + tokens);
  const names = split === "kind" ? [...sums.keys()] : [...sums].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const series = names.length > MOST_SERIES ? [...names.slice(0, MOST_SERIES - 1), words.others] : names;
  const index = (name: string) => (series.includes(name) ? series.indexOf(name) : series.length - 1);

  const days = daysFrom(usage.since, now).map((day): Day => ({ day, turns: 0, total: 0, values: series.map(() => 0) }));
  const byDay = new Map(days.map((each) => [each.day, each]));
  for (const row of usage.rows) {
    const day = byDay.get(row.day);
    if (!day) continue;
    day.turns += row.turns;
    day.total += row.total_tokens;
    for (const [name, tokens] of sharesOf(row, split)) day.values[index(name)]! += tokens;
  }
  return { series, days, top: niceTop(Math.max(...days.map(({ total }) => total), 0)) };
}

/** The least of 1, 2, 5, 10, 20, 50... that is not below. */
export function niceTop(most: number): number {
  if (most <= 10) return 10;
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((step) => step * power).find((top) => top >= most)!;
}

interface Sum {
  agent: string;
  model: string;
  turns: number;
  read: number;
  written: number;
  total: number;
}

/** By agent and model, the most used first. */
export function sumsOf(rows: Row[]): Sum[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const key = JSON.stringify([row.agent_name, row.model]);
    const sum = sums.get(key) ?? { agent: row.agent_name, model: row.model, turns: 0, read: 0, written: 0, total: 0 };
    sum.turns += row.turns;
    sum.read += row.input_tokens;
    sum.written += row.output_tokens;
    sum.total += row.total_tokens;
    sums.set(key, sum);
  }
  return [...sums.values()].sort((a, b) => b.total - a.total);
}
