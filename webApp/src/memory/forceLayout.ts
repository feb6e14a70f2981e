/** Where the names of a graph stand: springs along the lines, names that push each other off, a pull to the middle. The
 * same graph gives the same picture each time. Names far apart do not feel each other, so 1,000 of them are no matter. */
import { spread } from "./spread";

export interface Point {
  x: number;
  y: number;
}

const SPRING_LENGTH = 140;
const REACH = 420; // how far a name pushes
const PUSH = 22_000;
const SPRING = 0.06;
const PULL = 0.008;
const DAMPING = 0.72;
const COOLING = 0.985;
const STILL = 0.03;

export interface Layout {
  /** Go on for a number of steps; true when nothing moves any more. */
  tick: (steps: number) => boolean;
  points: () => Point[];
}

/** `links` are pairs of places in the list of names. */
export function forceLayout(count: number, links: readonly (readonly [number, number])[]): Layout {
  const degree = new Float64Array(count);
  for (const [a, b] of links) {
    degree[a]!++;
    degree[b]!++;
  }
  const { x, y } = spread(count, links, SPRING_LENGTH);
  const vx = new Float64Array(count);
  const vy = new Float64Array(count);
  let heat = 1;

  function step(): void {
    pushApart(x, y, vx, vy, heat);
    for (const [a, b] of links) {
      if (a === b) continue;
      const dx = x[b]! - x[a]!;
      const dy = y[b]! - y[a]!;
      const distance = Math.hypot(dx, dy) || 1;
      // A name with many lines is heavy: its neighbours come to it, not it to each of them.
      const force = (SPRING * heat * (distance - SPRING_LENGTH)) / distance;
      const share = degree[a]! / (degree[a]! + degree[b]!);
      vx[a]! += dx * force * (1 - share);
      vy[a]! += dy * force * (1 - share);
      vx[b]! -= dx * force * share;
      vy[b]! -= dy * force * share;
    }
    for (let i = 0; i < count; i++) {
      vx[i] = (vx[i]! - x[i]! * PULL * heat) * DAMPING;
      vy[i] = (vy[i]! - y[i]! * PULL * heat) * DAMPING;
      x[i]! += vx[i]!;
      y[i]! += vy[i]!;
    }
    heat *= COOLING;
  }

  return {
    tick: (steps) => {
      for (let i = 0; i < steps && heat > STILL; i++) step();
      return heat <= STILL;
    },
    points: () => Array.from(x, (each, i) => ({ x: each, y: y[i]! })),
  };
}

/** Only names in the same or a neighbouring square of a grid are near enough to be felt. */
function pushApart(x: Float64Array, y: Float64Array, vx: Float64Array, vy: Float64Array, heat: number): void {
  const cells = new Map<number, number[]>();
  const cellOf = (value: number) => Math.floor(value / REACH);
  const key = (column: number, row: number) => column * 100_003 + row;
  for (let i = 0; i < x.length; i++) {
    const at = key(cellOf(x[i]!), cellOf(y[i]!));
    const cell = cells.get(at);
    if (cell) cell.push(i);
    else cells.set(at, [i]);
  }
  for (let i = 0; i < x.length; i++) {
    const column = cellOf(x[i]!);
    const row = cellOf(y[i]!);
    for (let c = column - 1; c <= column + 1; c++) {
      for (let r = row - 1; r <= row + 1; r++) {
        for (const j of cells.get(key(c, r)) ?? []) {
          if (j <= i) continue;
          const dx = x[j]! - x[i]! || 0.5;
          const dy = y[j]! - y[i]! || 0.5;
          const squared = Math.max(dx * dx + dy * dy, 100);
          if (squared > REACH * REACH) continue;
          const force = (PUSH * heat) / (squared * Math.sqrt(squared));
          vx[i]! -= dx * force;
          vy[i]! -= dy * force;
          vx[j]! += dx * force;
          vy[j]! += dy * force;
        }
      }
    }
  }
}
