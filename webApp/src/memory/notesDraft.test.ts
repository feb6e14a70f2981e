import { expect, test } from "vitest";
import { afterSaving, readDraft } from "./notesDraft";

test.each([null, "", "{", "[]", "3", '{"text": 1, "over": 2}', '{"text": "x"}'])("what %j holds is no draft", (stored) => {
  expect(readDraft(stored)).toBeNull();
});

test("a draft is read as it was kept, and nothing beside it", () => {
  expect(readDraft('{"text": "", "over": 3, "more": 1}')).toEqual({ text: "", over: 3 });
});

test("what was typed while a save was under way stays, over what was saved", () => {
  const sent = { text: "one", over: 3 };
  expect(afterSaving(sent, sent, 4)).toBeNull();
  expect(afterSaving({ text: "one two", over: 3 }, sent, 4)).toEqual({ text: "one two", over: 4 });
  expect(afterSaving({ text: "", over: 3 }, sent, 4)).toEqual({ text: "", over: 4 });
  expect(afterSaving(null, sent, 4)).toBeNull(); // discarded meanwhile
});
