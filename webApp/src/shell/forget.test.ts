// @vitest-environment jsdom
import { afterEach, expect, test, vi } from "vitest";
import { forgetEverything, forgetKept, patiently } from "./forget";
import { toast, useToasts } from "./toasts";

afterEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  vi.useRealTimers();
});

test("what is a user's own goes, and what is another's stays, as do the sign-in and the theme", () => {
  const ours = (id: string) => [`chatSession_${id}_a`, `chatDraft_${id}_s`, `chatAgent_${id}`, `chatDeletions_${id}`];
  const stays = [...ours("u2"), "chatSignIn", "sb-x-auth-token", "theme"];
  for (const name of [...ours("u"), ...stays]) localStorage.setItem(name, "x");
  for (const id of ["u", "u2"]) sessionStorage.setItem(`notesDraft_${id}_a`, "x");
  forgetKept("u");
  expect(Object.keys(localStorage).sort()).toEqual(stays.sort());
  expect(Object.keys(sessionStorage)).toEqual(["notesDraft_u2_a"]);
});

test("what was said in passing goes with whom it was said to", () => {
  toast("“My diagnosis” is archived", () => undefined);
  forgetEverything();
  expect(useToasts.getState().toasts).toEqual([]);
});

test("who does not answer is waited for, but not for ever", async () => {
  vi.useFakeTimers();
  const gone = vi.fn();
  void patiently(new Promise(() => undefined)).then(gone);
  await vi.advanceTimersByTimeAsync(2_900);
  expect(gone).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(200);
  expect(gone).toHaveBeenCalledOnce();
});
