import { expect, test } from "vitest";
import type { Memory } from "../api/types";
import { changedBy, fieldsOf, givenTags, sizeOf, tagsOf } from "./edits";

const memory = {
  text: "Tea.",
  kind: "fact",
  category: "knowledge",
  tier: "long",
  importance: 0.7,
  tags: ["a", "b"],
  valid_to: "2026-11-10T12:00:00Z",
  expires_at: null,
} as unknown as Memory;

test("what was not touched is not sent", () => {
  expect(changedBy(fieldsOf(memory), memory)).toEqual({});
  expect(changedBy({ ...fieldsOf(memory), text: " Coffee. ", importance: 85 }, memory)).toEqual({ text: "Coffee.", importance: 0.85 });
});

test("a date that is emptied is taken away, and only then", () => {
  expect(changedBy({ ...fieldsOf(memory), validTo: "" }, memory)).toEqual({ valid_to: null });
});

test("a new memory says only what was given", () => {
  expect(changedBy({ ...fieldsOf(), text: "Tea." })).toEqual({ text: "Tea." });
});

test("tags are words between commas, none twice, not too many", () => {
  expect(tagsOf(" home, #home,, Porto ")).toEqual(["home", "Porto"]);
  expect(tagsOf(Array.from({ length: 30 }, (_, i) => `t${i}`).join(","))).toHaveLength(16);
  expect(sizeOf("ü")).toBe(2);
});

test("a row shows the tags that somebody gave, and not the words of its text that rules took", () => {
  const train = { origin: "user", text: "I prefer window seats on trains.", category: "user_preference" } as const;
  const ruled = ["user_preference", "prefer", "window", "trains"];
  expect(givenTags({ ...train, tags: ruled })).toEqual([]);
  expect(givenTags({ ...train, tags: [...ruled, "travel"] })).toEqual(["travel"]);
  expect(givenTags({ ...train, tags: ["trains"] })).toEqual(["trains"]);
  expect(givenTags({ ...train, text: "Ich heiße Zoë.", tags: ["user_preference", "heisse", "zoe"] })).toEqual([]);
  expect(givenTags({ ...train, origin: "rules", tags: ["home"] })).toEqual([]);
});
