import { expect, test } from "vitest";
import { readDraft } from "./notesDraft";

test.each([null, "", "{", "[]", "3", '{"text": 1, "over": 2}', '{"text": "x"}'])("what %j holds is no draft", (stored) => {
  expect(readDraft(stored)).toBeNull();
});

test("a draft is read as it was kept, and nothing beside it", () => {
  expect(readDraft('{"text": "", "over": 3, "more": 1}')).toEqual({ text: "", over: 3 });
});
