import { expect, test } from "vitest";
import { isByWordsAlone, isFiltered, NO_FILTERS, queryOf } from "./filters";

test("no filters ask for nothing in particular", () => {
  expect(isFiltered(NO_FILTERS)).toBe(false);
  expect(isFiltered({ ...NO_FILTERS, q: "  " })).toBe(false);
});

test("a time and all times are never asked for together", () => {
  const at = queryOf({ ...NO_FILTERS, when: "at", day: "2026-11-01" });
  expect(at.superseded).toBeUndefined();
  expect(at.as_of).toMatch(/^2026-1[01]-/);
  expect(queryOf({ ...NO_FILTERS, when: "ever", day: "2026-11-01" })).toMatchObject({ superseded: true, as_of: undefined });
  expect(isFiltered({ ...NO_FILTERS, when: "at" })).toBe(false);
});

test("a search is by words alone when nothing else is asked for", () => {
  expect(isByWordsAlone({ ...NO_FILTERS, q: "tea" })).toBe(true);
  expect(isByWordsAlone({ ...NO_FILTERS, q: " " })).toBe(false);
  expect(isByWordsAlone({ ...NO_FILTERS, q: "tea", kind: "fact" })).toBe(false);
});
