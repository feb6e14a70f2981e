/** Where names and the words of lines stand, so that none lies under others where there is room. */
import { MARGIN } from "./camera";
import type { Point } from "./forceLayout";
import { pointOn, wordsAt } from "./graphParts";

const SHARES = [0.5, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68, 0.26, 0.74]; // of the way from the upper end, where the best place is taken
const OVER = 4; // the line
const LETTER = 0.62; // of the size of a text
const NARROW = 0.35;
const ABOVE = 0.95; // of the size, over the foot of the letters
const BELOW = 0.25;
const HANGS = 1.1; // of the size, a name under its dot
const STANDS = 0.4; // and over it
const FURTHER = 1.25; // where there is no room beside the dot

/** Where a name is. */
export interface Dot extends Point {
  radius: number;
}

/** By the place of the name in the list of all. */
export type Dots = ReadonlyMap<number, Dot>;
type Names = ReadonlyMap<number, string>;

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface Worded {
  id: string;
  a: number;
  b: number;
  words: string;
}

/** The middle of the foot of each name: under its dot, or over it, or further away, where others are in the way. */
export function namePlaces(names: Names, dots: Dots, size: number): Map<number, Point> {
  const full = [...dots.values()].map(around);
  const xs = [...dots.values()].map(({ x }) => x);
  const [least, most] = [Math.min(...xs) - MARGIN, Math.max(...xs) + MARGIN]; // what is seen of all of it
  const places = new Map<number, Point>();
  for (const [place, name] of names) {
    const dot = dots.get(place)!;
    const half = widthOf(name, size) / 2;
    const x = Math.max(least + half, Math.min(most - half, dot.x));
    const [below, above] = [under(dot, size).y, dot.y - dot.radius - STANDS * size];
    const ways = [below, above, below + FURTHER * size, above - FURTHER * size].map((y) => ({ x, y }));
    const found = ways.find((at) => !isTaken(boxOf(name, at, size), full)) ?? ways[0]!;
    full.push(boxOf(name, found, size));
    places.set(place, found);
  }
  return places;
}

/** Where a name stands of which nothing else is known. */
export const under = ({ x, y, radius }: Dot, size: number): Point => ({ x, y: y + radius + HANGS * size });

/** For each line a place of its own beside dots and names; where there is none its words wait until they are asked for. */
export function wordPlaces(lines: readonly Worded[], dots: Dots, names: readonly Box[], size: number): Map<string, Point> {
  const full = [...[...dots.values()].map(around), ...names];
  const places = new Map<string, Point>();
  for (const { id, a, b, words } of lines) {
    const ends = [dots.get(a)!, dots.get(b)!] as const;
    const ways = [wordsAt(...ends), ...SHARES.map((share) => pointOn(...ends, share))].map(overLine);
    const found = ways.find((at) => !isTaken(boxOf(words, at, size), full));
    if (!found) continue;
    full.push(boxOf(words, found, size));
    places.set(id, found);
  }
  return places;
}

export const overLine = ({ x, y }: Point): Point => ({ x, y: y - OVER });

/** About as large as a text is drawn. */
export function boxOf(text: string, { x, y }: Point, size: number): Box {
  const half = widthOf(text, size) / 2;
  return { left: x - half, right: x + half, top: y - ABOVE * size, bottom: y + BELOW * size };
}

const widthOf = (text: string, size: number): number =>
  size * [...text].reduce((sum, letter) => sum + (/[ fijlrtI().,'1]/.test(letter) ? NARROW : LETTER), 0);

const around = ({ x, y, radius }: Dot): Box => ({ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius });

const isTaken = (box: Box, full: readonly Box[]): boolean =>
  full.some((other) => box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom);
