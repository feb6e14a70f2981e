import { expect, test } from "vitest";
import { boxOf, namePlaces, wordPlaces, type Dots } from "./wordPlaces";

const SIZE = 12;
const WORDS = "has husband";
const at = (...points: [number, number][]): Dots => new Map(points.map(([x, y], place) => [place, { x, y, radius: 9 }]));
/** From the first to each of the others. */
const star = (dots: Dots) => [...dots.keys()].slice(1).map((place) => ({ id: String(place), a: 0, b: place, words: WORDS }));
const named = (dots: Dots, ...names: string[]) => {
  const given = new Map(names.map((name, place) => [place, name]));
  return [...namePlaces(given, dots, SIZE)].map(([place, foot]) => boxOf(given.get(place)!, foot, SIZE));
};
type Boxes = ReturnType<typeof named>;
const overlaps = (boxes: Boxes) =>
  boxes.flatMap((one, i) => boxes.slice(i + 1).filter((other) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom));

test("the words of a line stand in its middle where nothing else does", () => {
  const dots = at([0, 0], [200, 0]);
  expect([...wordPlaces(star(dots), dots, [], SIZE)]).toEqual([["1", { x: 100, y: -4 }]]);
});

test("words go along their line until they lie under no name and across no other words", () => {
  const dots = at([0, 0], [-140, 80], [-120, 100], [140, 80], [120, 100]);
  const names = named(dots, "You (Nora)", "Jonas (husband)");
  const places = wordPlaces(star(dots), dots, names, SIZE);
  expect(places.size).toBeGreaterThan(2);
  expect(overlaps([...names, ...[...places.values()].map((foot) => boxOf(WORDS, foot, SIZE))])).toEqual([]);
});

test("words for which there is no room have no place", () => {
  const dots = at([0, 0], [40, 0]);
  expect(wordPlaces(star(dots), dots, [], SIZE).size).toBe(0);
});

test("a name hangs under its dot, or stands over it where another one is in the way", () => {
  const [first, second] = named(at([0, 0], [60, 0]), "Minka (cat)", "Mary (sister)");
  expect(first!.top).toBeGreaterThan(9);
  expect(second!.bottom).toBeLessThan(-1);
  expect(overlaps(named(at([0, 0], [60, 0], [120, 0]), "Minka (cat)", "Mary (sister)", "Ida (daughter)"))).toEqual([]);
});

test("a name at the edge is within what is seen of all", () => {
  const [left, right] = named(at([0, 0], [300, 0]), "the Norwegian Polar Institute", "the Norwegian Polar Institute");
  expect(left!.left).toBeGreaterThanOrEqual(-71);
  expect(right!.right).toBeLessThanOrEqual(371);
});
