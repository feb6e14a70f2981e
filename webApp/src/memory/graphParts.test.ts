import { expect, test } from "vitest";
import { degreesOf, heldAt, labelOf, linesAt, linesOf, mostConnected, nameOf, nodeName, saidOf, short, spanOf, wordsAt, type Fact } from "./graphParts";

const fact = (source: string, target: string, rest: Partial<Fact> = {}): Fact => ({
  memory_id: `${source}-${target}`,
  source,
  target,
  predicate: "knows",
  is_negated: false,
  valid_from: "2026-01-01T00:00:00Z",
  valid_to: null,
  ...rest,
});
const nodes = ["mary", "porto", "rome"].map((id) => ({ id, name: id, hops: 0 }));
const at = (day: string) => Date.parse(`${day}T00:00:00Z`);

test("facts between two names are one line, whoever is named first; of nobody who is there none is", () => {
  const lines = linesOf({ nodes, edges: [fact("mary", "porto"), fact("porto", "mary"), fact("nobody", "mary")] });
  expect(lines).toHaveLength(1);
  expect(lines[0]!.facts).toHaveLength(2);
  expect(labelOf(lines[0]!)).toBe("knows +1");
});

test("a value is no name, in whichever digits, and what is told of it is of whom it is told", () => {
  const lines = linesOf({ nodes, edges: [fact("mary", "5"), fact("rome", "5"), fact("mary", "٥")] });
  expect(lines.map(({ a, b, facts }) => [a, b, facts.length])).toEqual([[0, 0, 2], [2, 2, 1]]);
});

test("at a moment only what held then is drawn", () => {
  const rome = fact("mary", "rome", { valid_to: "2026-06-01T00:00:00Z" });
  const porto = fact("mary", "porto", { valid_from: "2026-06-01T00:00:00Z" });
  const lines = linesOf({ nodes, edges: [rome, porto] });
  expect(linesAt(lines, at("2026-03-01")).map((line) => line.facts[0])).toEqual([rome]);
  expect(linesAt(lines, at("2026-06-01")).map((line) => line.facts[0])).toEqual([porto]);
  expect(linesAt(lines, at("2025-03-01"))).toEqual([]);
  expect(heldAt(rome, null, at("2026-07-01"))).toBe(false);
});

test("time begins with the first fact, and there is none to move in when all is new", () => {
  expect(spanOf([fact("a", "b")], at("2026-02-01"))).toEqual([at("2026-01-01"), at("2026-02-01")]);
  expect(spanOf([fact("a", "b")], at("2026-01-01"))).toBeNull();
  expect(spanOf([])).toBeNull();
});

test("long names are cut between letters, and a denied fact says so", () => {
  expect(short("a".repeat(30), 10)).toBe(`${"a".repeat(9)}…`);
  expect(short("👩‍👩‍👧".repeat(30), 5).endsWith("…")).toBe(true);
  expect(labelOf({ id: "", a: 0, b: 1, facts: [fact("a", "b", { is_negated: true })] })).toBe("does not know");
  const denied = (predicate: string) => saidOf({ predicate, is_negated: true });
  expect(["likes", "is allergic to", "has dog", "studies", "lives in", "name"].map(denied)).toEqual([
    "dislikes", "is not allergic to", "does not have dog", "does not study", "does not live in", "not name",
  ]);
});

test("names are said as people say them", () => {
  expect(["user", "User", "sister:mary", "Porto", "12:30", "http://x"].map(nameOf)).toEqual([
    "You", "You", "Mary (sister)", "Porto", "12:30", "http://x",
  ]);
});

test("people of the graph are said by name and by whose they are", () => {
  const named = (id: string, name: string) => nodeName({ id, name });
  expect([named("user", "Ada"), named("user", "user"), named("sister:mary", "Mary"), named("dog:rex", "dog:rex"), named("porto", "Porto")]).toEqual([
    "You (Ada)", "You", "Mary (sister)", "Rex (dog)", "Porto",
  ]);
});

test("the names with the most lines come first, of equals the first, and those without any never", () => {
  const line = (a: number, b: number) => ({ id: `${a}-${b}`, a, b, facts: [] });
  const degrees = degreesOf(5, [line(0, 1), line(1, 2), line(1, 3)]);
  expect(degrees).toEqual([1, 3, 1, 1, 0]);
  expect([...mostConnected(degrees, 2)]).toEqual([1, 0]);
  expect(mostConnected(degrees, 9).has(4)).toBe(false);
});

test("the words of a line stand in its middle, or nearer the lower end, whichever is named first", () => {
  const [top, side, bottom] = [{ x: 0, y: 0 }, { x: 100, y: 0 }, { x: 0, y: 100 }];
  expect(wordsAt(top, side)).toEqual({ x: 50, y: 0 });
  expect(wordsAt(top, bottom)).toEqual({ x: 0, y: 65 });
  expect(wordsAt(bottom, top)).toEqual({ x: 0, y: 65 });
  expect(wordsAt(top, top)).toEqual(top);
});
