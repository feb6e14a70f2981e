import { expect, test } from "vitest";
import type { Session } from "../api/types";
import { allOf, besides, changedIn, type Pages } from "./lists";

const session = (id: string) => ({ session_id: id, title: id, memory: "on" }) as Session;
const pages = (...all: string[][]): Pages => ({
  pages: all.map((ids) => ({ sessions: ids.map(session), before: null })),
  pageParams: all.map(() => undefined),
});

test("a renamed session keeps its place and all else", () => {
  const changed = changedIn(pages(["a", "b"], ["c"]), "b", { title: "new" }, false);
  expect(allOf(changed).map(({ session_id, title, memory }) => [session_id, title, memory])).toEqual([
    ["a", "a", "on"],
    ["b", "new", "on"],
    ["c", "c", "on"],
  ]);
  expect(allOf(changedIn(pages(["a"]), "a", { title: null }, false))[0]!.title).toBeNull();
});

test("an archived one leaves the list, and one that comes back leaves the archive", () => {
  expect(allOf(changedIn(pages(["a", "b"]), "a", { archived: true }, false))).toHaveLength(1);
  expect(allOf(changedIn(pages(["a", "b"]), "a", { archived: true }, true))).toHaveLength(2);
  expect(allOf(changedIn(pages(["a", "b"]), "a", { archived: false }, true))).toHaveLength(1);
});

test("one that moved between two readings is listed once", () => {
  expect(allOf(pages(["b", "a"], ["b", "c"])).map((each) => each.session_id)).toEqual(["b", "a", "c"]);
});

test("the neighbour of what goes away is shown", () => {
  const [a, b, c] = ["a", "b", "c"].map(session) as [Session, Session, Session];
  expect(besides([a, b, c], "b")).toBe(c);
  expect(besides([a, b, c], "c")).toBe(b);
  expect(besides([a, b, c], "elsewhere")).toBe(a);
  expect(besides([a], "a")).toBeNull();
});
