/** What a user does to memories; every list that shows them is read again afterwards. */
import { authorizedFetch, call } from "../api/client";
import { keys, queryClient } from "../api/query";
import type { components } from "../api/schema";
import type { Memory } from "../api/types";

export type MemoryEdit = components["schemas"]["ChangeMemoryRequest"];
export type NewMemory = components["schemas"]["CreateMemoryRequest"];

const at = (id: string) => ({ path: { memory_id: id } });

/** Lists are read again, after a refusal too: what they show was not true. What is gone is not asked for by its id. */
async function thenReadAgain<T>(change: Promise<T>, id?: string): Promise<T> {
  let isGone = false;
  try {
    const left = await change;
    isGone = left === undefined;
    return left;
  } finally {
    const predicate = ({ queryKey }: { queryKey: readonly unknown[] }) => !(isGone && queryKey[1] === "one" && queryKey[2] === id);
    void queryClient.invalidateQueries({ queryKey: keys.memories, predicate });
  }
}

export const forget = (id: string): Promise<unknown> => thenReadAgain(call("delete", "/api/memories/{memory_id}", at(id)), id);

/** It no longer holds; what it was stays readable, and `undo` makes it hold again. */
export const markWrong = (id: string): Promise<Memory> => edit(id, { valid_to: new Date().toISOString() });

export const edit = (id: string, body: MemoryEdit): Promise<Memory> =>
  thenReadAgain(call("patch", "/api/memories/{memory_id}", { ...at(id), body }));

/** Takes back the last change; nothing comes back where the change was that it was made. */
export const undo = (id: string): Promise<Memory | undefined> =>
  thenReadAgain(call("post", "/api/memories/{memory_id}/undo", at(id)), id);

/** What was forgotten, and nothing else that was done to it: whoever asks twice loses nothing. */
export const bringBack = (ids: string[]): Promise<void> => thenReadAgain(broughtBack(ids));

async function broughtBack(ids: string[]): Promise<void> {
  for (const id of ids) await call("post", "/api/memories/{memory_id}/undo", { ...at(id), query: { of: "deletion" } });
}

const atMessage = (id: string) => ({ path: { message_id: id } });

/** What was said stays where it was said; only no answer is given it any more. */
export const passOver = (id: string): Promise<unknown> => thenReadAgain(call("delete", "/api/memories/messages/{message_id}", atMessage(id)));

export const showAgain = (id: string): Promise<unknown> => thenReadAgain(call("post", "/api/memories/messages/{message_id}/undo", atMessage(id)));

/** What is remembered already is not made again: then there is nothing to take back. */
export async function add(body: NewMemory): Promise<{ memory: Memory; isNew: boolean }> {
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  const answer = await thenReadAgain(authorizedFetch("/api/memories", { method: "POST", headers, body: JSON.stringify(body) }));
  return { memory: (await answer.json()) as Memory, isNew: answer.status === 201 };
}
