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
