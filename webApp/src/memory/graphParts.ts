/** The graph as it is drawn: one line for all facts between two names, at a moment in time. */
import type { Graph } from "../api/types";
import type { Point } from "./forceLayout";
import { strings } from "../strings";

const LOWERED = 0.15; // of a line that goes straight down, from its middle

export type Node = Graph["nodes"][number];
export type Fact = Graph["edges"][number];

export interface Line {
  id: string;
  a: number; // places in the list of names
  b: number;
  facts: Fact[];
}

/** All facts between the same two names, in either direction, are one line; of a value, which is no name, it is a ring. */
export function linesOf(graph: Pick<Graph, "nodes" | "edges">): Line[] {
  const places = new Map(graph.nodes.map((node, place) => [node.id, place]));
  const lines = new Map<string, Line>();
  for (const fact of graph.edges) {
    const from = places.get(fact.source);
    const to = places.get(fact.target) ?? from;
    if (from === undefined || to === undefined) continue;
    const [a, b] = from <= to ? [from, to] : [to, from];
    const id = `${a}-${b}`;
    const line = lines.get(id);
    if (line) line.facts.push(fact);
    else lines.set(id, { id, a, b, facts: [fact] });
  }
  return [...lines.values()];
}

/** Whether a fact held at a moment; null is now. */
export function heldAt(fact: Fact, moment: number | null, now = Date.now()): boolean {
  const at = moment ?? now;
  return Date.parse(fact.valid_from) <= at && (fact.valid_to === null || Date.parse(fact.valid_to) > at);
}

/** The lines with what held then, without those where nothing did. */
export const linesAt = (lines: readonly Line[], moment: number | null): Line[] =>
  lines.map((line) => ({ ...line, facts: line.facts.filter((fact) => heldAt(fact, moment)) })).filter((line) => line.facts.length > 0);

/** From the first fact to now; null where there is no time to move in. */
export function spanOf(facts: readonly Fact[], now = Date.now()): [number, number] | null {
  const first = Math.min(...facts.map((fact) => Date.parse(fact.valid_from)).filter(Number.isFinite));
  return Number.isFinite(first) && now - first > 60_000 ? [first, now] : null;
}

/** "Likes", denied: "dislikes"; "lives in": "does not live in"; what is no verb has a "not" before it. */
export function saidOf({ predicate, is_negated }: Pick<Fact, "predicate" | "is_negated">): string {
  if (!is_negated) return predicate;
  const [verb = "", ...rest] = predicate.split(" ");
  const after = rest.length ? ` ${rest.join(" ")}` : "";
  if (verb === "is" || verb === "are") return `${verb} not${after}`;
  if (verb === "likes") return `dislikes${after}`;
  if (!/[^s]s$/.test(verb)) return `not ${predicate}`;
  const root = verb === "has" ? "have" : verb.endsWith("ies") ? `${verb.slice(0, -3)}y` : verb.slice(0, -1);
  return `does not ${root}${after}`;
}

/** What a line says: "lives in", "lives in +2", "does not eat". */
export function labelOf(line: Line): string {
  const [first, ...rest] = line.facts;
  if (!first) return "";
  const said = saidOf(first);
  return rest.length ? `${said} +${rest.length}` : said;
}

/** To how many lines each name belongs. */
export function degreesOf(count: number, lines: readonly Line[]): number[] {
  const degrees = new Array<number>(count).fill(0);
  for (const line of lines) {
    degrees[line.a]!++;
    degrees[line.b]!++;
  }
  return degrees;
}

/** The places of those that are connected the most; of equals the first. */
export const mostConnected = (degrees: readonly number[], most: number): Set<number> =>
  new Set(
    degrees
      .map((degree, place) => [degree, place] as const)
      .filter(([degree]) => degree > 0)
      .sort((one, other) => other[0] - one[0])
      .slice(0, most)
      .map(([, place]) => place),
  );

/** A name of the graph; what is known of the user stands under his name, and of his sister Mary under hers. */
export function nodeName({ id, name }: Pick<Node, "id" | "name">): string {
  if (id === "user" && name.toLowerCase() !== "user") return `${strings.graph.you} (${name})`;
  const [relation, whose] = id.split(":");
  return whose === name.toLowerCase() ? `${name} (${relation})` : nameOf(name);
}

/** As people say it: what is known of the user is kept under "user", of his sister Mary under "sister:mary". */
export function nameOf(name: string): string {
  if (name.toLowerCase() === "user") return strings.graph.you;
  const [, what, whose] = /^([a-z_]{2,20}):([^/\s].*)$/s.exec(name) ?? [];
  return what && whose ? `${whose[0]!.toUpperCase()}${whose.slice(1)} (${what.replaceAll("_", " ")})` : name;
}

/** A name that is too long for the picture is cut; the list has it whole. */
export const short = (name: string, most = 24): string => {
  const letters = [...name];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : name;
};

/** A share of the way from the upper end of a line to its lower one. */
export function pointOn(a: Point, b: Point, share: number): Point {
  const [upper, lower] = a.y <= b.y ? [a, b] : [b, a];
  return { x: upper.x + (lower.x - upper.x) * share, y: upper.y + (lower.y - upper.y) * share };
}

/** Where the words of a line stand best: in the middle, and the steeper it is the nearer to its lower end, for the name of
 * the upper one hangs over it. */
export const wordsAt = (a: Point, b: Point): Point =>
  pointOn(a, b, 0.5 + (LOWERED * Math.abs(b.y - a.y)) / (Math.hypot(b.x - a.x, b.y - a.y) || 1));
