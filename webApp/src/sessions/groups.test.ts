import { expect, test } from "vitest";
import type { Session } from "../api/types";
import { groupName, groupsOf } from "./groups";

const now = new Date(2026, 10, 15, 0, 30);
const at = (...when: [number, number, number, number, number]) => new Date(...when).toISOString();

test.each([
  [at(2026, 10, 15, 0, 29), "Today"],
  [at(2026, 10, 15, 9, 0), "Today"],
  [at(2026, 10, 14, 23, 59), "Yesterday"],
  [at(2026, 10, 13, 23, 59), "Last 7 days"],
  [at(2026, 10, 8, 1, 0), "Last 7 days"],
  [at(2026, 10, 7, 23, 0), "Last 30 days"],
  [at(2026, 9, 15, 1, 0), "October 2026"],
  [at(2025, 9, 15, 1, 0), "October 2025"],
])("%s is in %s", (when, name) => expect(groupName(when, now)).toBe(name));

test("the order stays, and a group begins where the name changes", () => {
  const session = (id: string, last_active_at: string) => ({ session_id: id, last_active_at }) as Session;
  const groups = groupsOf([session("a", at(2026, 10, 15, 0, 20)), session("b", at(2026, 10, 15, 0, 10)), session("c", at(2026, 10, 14, 1, 0))], now);
  expect(groups.map(({ name, sessions }) => [name, sessions.map((each) => each.session_id)])).toEqual([
    ["Today", ["a", "b"]],
    ["Yesterday", ["c"]],
  ]);
});
