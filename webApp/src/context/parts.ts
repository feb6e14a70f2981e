/** A preview of the prompt, as the inspector draws it. */
import type { components } from "../api/schema";
import type { Preview } from "../api/types";
import { strings } from "../strings";

export type Part = components["schemas"]["PartAnswer"];
type Trigger = components["schemas"]["TriggerAnswer"];

const words = strings.context;
const LEAST = 0.8; // per cent; narrower could not be seen
export const number = (value: number): string => value.toLocaleString("en");

export function percent(share: number): string {
  if (share > 0 && share < 0.001) return "< 0.1 %";
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}

/** What the model reads, without what is left free. */
export const promptParts = ({ parts }: Preview): Part[] => parts.filter(({ name }) => name !== "reserve" && name !== "room");

interface Segment {
  name: string;
  x: number;
  width: number;
}

/** Where each part lies in a bar of 100; what is there at all can be seen. */
export function segmentsOf(parts: Pick<Part, "name" | "tokens">[]): Segment[] {
  const shown = parts.filter(({ tokens }) => tokens > 0);
  const total = shown.reduce((sum, { tokens }) => sum + tokens, 0);
  const widths = shown.map(({ tokens }) => Math.max(LEAST, (tokens / total) * 100));
  const scale = 100 / widths.reduce((sum, width) => sum + width, 0);
  let x = 0;
  return shown.map(({ name }, index) => {
    const segment = { name, x, width: widths[index]! * scale };
    x += segment.width;
    return segment;
  });
}

export interface Line {
  id: string;
  isMemory: boolean;
  text: string;
  tokens: number;
  saidAt: string | null;
  title: string | null;
  /** Why it was found, the strongest first. */
  reasons: string[];
}

const textOr = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** What was recalled. The description leaves its fields open, so each is looked at. */
export function linesOf(part: Part): Line[] {
  return (part.lines ?? []).map((line, index) => ({
    id: textOr(line.id) ?? String(index),
    isMemory: line.what === "memory",
    text: textOr(line.text) ?? "",
    tokens: typeof line.tokens === "number" ? line.tokens : 0,
    saidAt: textOr(line.said_at),
    title: textOr((line.source as Record<string, unknown> | undefined)?.title),
    reasons: reasonsOf(line.parts),
  }));
}

const MOST_REASONS = 3;

function reasonsOf(parts: unknown): string[] {
  if (typeof parts !== "object" || parts === null) return [];
  return Object.entries(parts)
    .filter((each): each is [string, number] => typeof each[1] === "number" && each[1] > 0 && each[0] in words.reasons)
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST_REASONS)
    .map(([name]) => words.reasons[name]!);
}

export const triggerText = ({ name }: Trigger): string => words.triggers[name] ?? name;
export const nowOf = ({ now, at, unit }: Trigger): string => words.nowOf(number(now), number(at), words.units[unit]);
