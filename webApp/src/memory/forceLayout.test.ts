import { expect, test } from "vitest";
import { forceLayout } from "./forceLayout";

const settled = (count: number, links: [number, number][]) => {
  const layout = forceLayout(count, links);
  expect(layout.tick(2_000)).toBe(true);
  return layout.points();
};
const distance = (a: { x: number; y: number }, b: { x: number; y: number }) => Math.hypot(a.x - b.x, a.y - b.y);

test("nothing and one name stand somewhere", () => {
  expect(settled(0, [])).toEqual([]);
  expect(settled(1, [[0, 0]])).toEqual([{ x: 0, y: 0 }]);
});

test("the same graph gives the same picture", () => {
  const links: [number, number][] = [[0, 1], [0, 2], [2, 3]];
  expect(settled(5, links)).toEqual(settled(5, links));
});

test("no two names of a star stand on each other, and all are near its middle", () => {
  const points = settled(31, Array.from({ length: 30 }, (_, i) => [0, i + 1]));
  for (let i = 0; i < points.length; i++) {
    for (let j = 0; j < i; j++) expect(distance(points[i]!, points[j]!)).toBeGreaterThan(20);
    expect(distance(points[0]!, points[i]!)).toBeLessThan(500);
  }
});

test("what is connected stands nearer than what is not", () => {
  const [a, b, c, d] = settled(4, [[0, 1], [2, 3]]);
  expect(distance(a!, b!)).toBeLessThan(distance(a!, c!) + distance(b!, d!));
});

test("as many names as the server ever gives are numbers, not a stall", () => {
  const links = Array.from({ length: 500 }, (_, i): [number, number] => [i, 500 + i]);
  expect(settled(1_000, links).every((each) => Number.isFinite(each.x) && Number.isFinite(each.y))).toBe(true);
});

type Links = [number, number][];

/** How many pairs of lines, of those that share no name, lie across each other. */
function crossings(points: { x: number; y: number }[], links: Links): number {
  const side = (a: number, b: number, c: number) => {
    const [p, q, r] = [points[a]!, points[b]!, points[c]!];
    return Math.sign((q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x));
  };
  const cross = ([a, b]: Links[number], [c, d]: Links[number]) =>
    new Set([a, b, c, d]).size === 4 && side(a, b, c) !== side(a, b, d) && side(c, d, a) !== side(c, d, b);
  return links.flatMap((one, i) => links.slice(i + 1).filter((other) => cross(one, other))).length;
}

/** Each name hangs on an earlier one. */
const tree = (count: number, seed: number): Links =>
  Array.from({ length: count - 1 }, (_, i) => [i + 1, (((i + 1) * 7919 + seed * 104_729) >>> 3) % (i + 1)]);

test("lines of what hangs together without a circle do not cross", () => {
  const nora: Links = [[0, 1], [0, 2], [0, 3], [0, 4], [4, 5], [0, 6]]; // her daughter is 7
  const all = [nora, ...Array.from({ length: 40 }, (_, seed) => tree(6 + (seed % 20), seed))];
  expect(all.filter((links) => crossings(settled(links.length + 1, links), links) > 0)).toEqual([]);
});
