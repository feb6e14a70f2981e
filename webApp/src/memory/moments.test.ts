import { expect, test } from "vitest";
import { ago, dayOf, endOfDay, minuteOf, toDateField } from "./moments";

const NOW = Date.parse("2026-11-15T12:00:00Z");

test.each([
  ["2026-11-15T11:59:40Z", "just now"],
  ["2026-11-15T11:58:00Z", "2 minutes ago"],
  ["2026-11-14T11:00:00Z", "yesterday"],
  ["2026-11-12T11:00:00Z", "3 days ago"],
  ["2025-11-01T11:00:00Z", "last year"],
  ["2026-11-30T12:00:00Z", "in 2 weeks"],
  ["no time", ""],
  [null, ""],
])("%s is said as %j", (moment, said) => {
  expect(ago(moment, NOW)).toBe(said);
});

test("a day that was chosen is that day when it is shown again", () => {
  expect(toDateField(endOfDay("2026-02-28"))).toBe("2026-02-28");
  expect(endOfDay("")).toBeNull();
  expect(toDateField(null)).toBe("");
  expect(dayOf("junk")).toBe("");
});

test("days and times are written as they are on the other pages", () => {
  expect(dayOf(NOW)).toBe("15 Nov 2026");
  expect(minuteOf(NOW)).toMatch(/^15 Nov 2026, \d\d:\d\d$/);
});
