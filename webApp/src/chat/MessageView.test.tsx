// @vitest-environment jsdom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { strings } from "../strings";
import type { ChatMessage } from "./message";
import { MessageView } from "./MessageView";

const onAgain = vi.fn();

async function drawn(message: ChatMessage, isStreaming = true, isFollowed = false): Promise<HTMLElement> {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  const place = document.createElement("div");
  const actions = { onEdit: async () => true, onEditLost: () => undefined, onAgain };
  const given = { isSpot: false, isLast: true, isFollowed, isStreaming, ...actions };
  await act(async () => createRoot(place).render(<MessageView message={message} {...given} />));
  return place;
}

test("what a program wrote is nobody's answer", async () => {
  const shown = await drawn({ id: "1", role: "system", parts: [{ type: "text", text: "Speak French." }] });
  expect(shown.querySelector("article")?.getAttribute("aria-label")).toBe(strings.chat.program);
  expect(shown.textContent).toContain("Speak French.");
  expect(shown.querySelector("button")).toBeNull();
});

test("an answer says when not all could be looked up for it", async () => {
  const parts: ChatMessage["parts"] = [
    { type: "data-recall", id: "t", data: { status: "degraded", reason: "timeout" } },
    { type: "text", text: "I do not know." },
  ];
  const shown = await drawn({ id: "2", role: "assistant", parts });
  expect(shown.textContent).toContain(strings.chat.notAllLookedUp);
});

test("an answer that was cut short says so once it has ended", async () => {
  const parts: ChatMessage["parts"] = [{ type: "text", text: "Once upon a" }];
  const message: ChatMessage = { id: "3", role: "assistant", parts, metadata: { state: "done", cut_short: "length" } };
  expect((await drawn(message, true)).textContent).not.toContain(strings.chat.cutShort.length);
  expect((await drawn(message, false)).textContent).toContain(strings.chat.cutShort.length);
});

test("who edits a message that others follow is told what becomes of those", async () => {
  const message: ChatMessage = { id: "4", role: "user", parts: [{ type: "text", text: "Hello." }] };
  const edited = async (isFollowed: boolean) => {
    const shown = await drawn(message, false, isFollowed);
    await act(async () => shown.querySelector<HTMLElement>(`[aria-label="${strings.chat.edit}"]`)?.click());
    expect(shown.querySelector("textarea")).not.toBeNull();
    return shown.textContent;
  };
  expect(await edited(true)).toContain(strings.chat.editReplaces);
  expect(await edited(false)).not.toContain(strings.chat.editReplaces);
});

test("an answer that was gone on from is made anew only after a second word, for what follows goes", async () => {
  const message: ChatMessage = { id: "5", role: "assistant", parts: [{ type: "text", text: "Hello." }] };
  const shown = await drawn(message, false, true);
  const isCalled = (words: string) => (each: HTMLElement) => [each.getAttribute("aria-label"), each.textContent].includes(words);
  const press = (words: string) => act(async () => [...shown.querySelectorAll("button")].find(isCalled(words))?.click());
  await press(strings.chat.again);
  expect(onAgain).not.toHaveBeenCalled();
  expect(shown.textContent).toContain(strings.chat.editReplaces);
  await press(strings.shell.cancel);
  expect(shown.textContent).not.toContain(strings.chat.editReplaces);
  await press(strings.chat.again);
  await press(strings.chat.again);
  expect(onAgain).toHaveBeenCalledExactlyOnceWith(message);
});
