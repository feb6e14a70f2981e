// @vitest-environment jsdom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { strings } from "../strings";
import { MemoryForm } from "./MemoryForm";

/** jsdom has no modal dialogs. */
Object.assign(HTMLDialogElement.prototype, {
  showModal(this: HTMLDialogElement) {
    this.open = true;
  },
  close(this: HTMLDialogElement) {
    this.open = false;
  },
});

async function opened() {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  const place = document.body.appendChild(document.createElement("div"));
  let left = 0;
  const form = <MemoryForm title="t" error={null} isSaving={false} onSave={() => undefined} onCancel={() => (left += 1)} />;
  await act(async () => createRoot(place).render(form));
  const text = place.querySelector("textarea")!;
  return {
    left: () => left,
    shown: () => place.textContent,
    escape: () => act(async () => void place.querySelector("dialog")!.dispatchEvent(new Event("cancel", { cancelable: true }))),
    write: (words: string) =>
      act(async () => {
        Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")!.set!.call(text, words);
        text.dispatchEvent(new Event("input", { bubbles: true }));
      }),
  };
}

test("Esc closes a form in which nothing was written", async () => {
  const form = await opened();
  await form.escape();
  expect(form.left()).toBe(1);
});

test("what was written is discarded by a second Esc only, and who writes on is asked again", async () => {
  const form = await opened();
  await form.write("Lunch is at one.");
  await form.escape();
  expect([form.left(), form.shown()?.includes(strings.memory.unsaved)]).toEqual([0, true]);
  await form.write("Lunch is at two.");
  expect(form.shown()).not.toContain(strings.memory.unsaved);
  await form.escape();
  expect(form.left()).toBe(0);
  await form.escape();
  expect(form.left()).toBe(1);
});
