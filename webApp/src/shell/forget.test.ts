// @vitest-environment jsdom
import { afterEach, expect, test, vi } from "vitest";
import { forgetEverything, forgetKept, patiently } from "./forget";
import { toast, useToasts } from "./toasts";

afterEach(() => {
  localStorage.clear();
  vi.useRealTimers();
});

test("what was written here goes, and the sign-in and the theme stay", () => {
  const ours = ["chatSession_u_a", "chatDraft_s", "chatAgent_u", "chatDeletions_u"];
  for (const name of [...ours, "chatSignIn", "sb-x-auth-token", "theme"]) localStorage.setItem(name, "x");
  sessionStorage.setItem("notesDraft_u_a", "x");
  forgetKept();
  expect(Object.keys(localStorage).sort()).toEqual(["chatSignIn", "sb-x-auth-token", "theme"]);
  expect(sessionStorage).toHaveLength(0);
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
