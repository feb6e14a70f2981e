import { expect, test } from "vitest";
import type { Memory } from "../api/types";
import type { ChatMessage } from "../chat/message";
import { doneBy, learnedAfter, mayHaveLearned, revisionOf, usedBy } from "./answer";

const message = (rest: Partial<ChatMessage> = {}): ChatMessage => ({ id: "m", role: "assistant", parts: [], ...rest });
const memory = (id: string, turn_id: string | null, created_at: string) =>
  ({ id, created_at, source: { session_id: "s", turn_id, message_ids: [] } }) as unknown as Memory;

test("an answer without memory used none, and nothing is asked about it", () => {
  expect(usedBy(message())).toEqual({ told: [], asked: [] });
  expect(usedBy(message({ metadata: { memories_used: null } }))).toEqual({ told: [], asked: [] });
  expect(mayHaveLearned(revisionOf(message()))).toBe(false);
});

test("what the user once asked is told apart from what says something", () => {
  const used = [{ id: "a", what: "memory" as const }, { id: "b", what: "message" as const, asks: true }, { id: "c", what: "message" as const }];
  const { told, asked } = usedBy(message({ metadata: { memories_used: used } }));
  expect([told, asked].map((each) => each.map(({ id }) => id))).toEqual([["a", "c"], ["b"]]);
});

test("what is stored with the reply counts more than what the stream began to tell", () => {
  const streamed = message({ parts: [{ type: "data-memory-revision", id: "t", data: { status: "starting" } }] });
  expect(mayHaveLearned(revisionOf(streamed))).toBe(true);
  const stored = { ...streamed, metadata: { memory_revision: { status: "completed" as const, memory_updated: false } } };
  expect(mayHaveLearned(revisionOf(stored))).toBe(false);
});

test("only what was learned after this turn is told, the first first", () => {
  const known = [memory("b", "t1", "2026-02"), memory("a", "t1", "2026-01"), memory("c", "t2", "2026-01"), memory("d", null, "2026-01")];
  expect(learnedAfter(known, "t1").map((each) => each.id)).toEqual(["a", "b"]);
  expect(learnedAfter(known, undefined)).toEqual([]);
});

test("what the agent did to notes and memories is collected", () => {
  const notes = { agent_name: "assistant", operation: "append", version: 2, previous_version: 1, untrusted: true };
  const parts: ChatMessage["parts"] = [
    { type: "data-notes", data: notes },
    { type: "text", text: "Done." },
    { type: "data-forgotten", data: { memory_ids: ["x", "y"] } },
    { type: "data-forgotten", data: { memory_ids: [], message_ids: ["z"] } },
  ];
  expect(doneBy(message({ parts }))).toEqual({ notes: [notes], forgotten: ["x", "y"], passedOver: ["z"] });
});

test("changes of the notes one after the other are one, and end where somebody else has written", () => {
  const change = (previous_version: number, version: number, untrusted = false) =>
    ({ type: "data-notes", data: { agent_name: "assistant", operation: "append", version, previous_version, untrusted } }) as const;
  const parts: ChatMessage["parts"] = [change(2, 3), change(1, 2, true), change(4, 5)];
  expect(doneBy(message({ parts })).notes).toMatchObject([
    { previous_version: 1, version: 3, untrusted: true },
    { previous_version: 4, version: 5, untrusted: false },
  ]);
});
