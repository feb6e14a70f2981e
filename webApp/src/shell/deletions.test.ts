// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { callOff, deleteSoon, keepDeleting, useDeletions } from "./deletions";
import { finishEverything, forgetEverything } from "./forget";
import { useToasts } from "./toasts";

const ADDRESS = "/api/sessions/one";
const isHidden = () => ADDRESS in useDeletions.getState().waiting;
let asked: string[] = [];
let answers: number[] = [];
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  [asked, answers] = [[], []];
  vi.stubGlobal("fetch", async (url: string, { method }: RequestInit) => {
    asked.push(`${method} ${url}`);
    const status = answers.shift() ?? 204;
    if (!status) throw new TypeError("network");
    return new Response(status === 204 ? null : "{}", { status });
  });
  stop = keepDeleting("u");
});

afterEach(() => {
  stop();
  forgetEverything();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("it is hidden at once, deleted when its time is over, and does not come back", async () => {
  deleteSoon(ADDRESS, "Deleted");
  expect(isHidden()).toBe(true);
  await vi.advanceTimersByTimeAsync(9_000);
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(asked).toEqual([`DELETE ${ADDRESS}`]);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(isHidden()).toBe(true);
  expect(asked).toHaveLength(1);
});

test("what is taken back is shown again and never deleted", async () => {
  const undone = vi.fn();
  deleteSoon(ADDRESS, "Deleted", undone);
  useToasts.getState().toasts.at(-1)!.undo!();
  expect(isHidden()).toBe(false);
  expect(undone).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual([]);
});

test("what a closed tab has left is deleted by the next one", async () => {
  localStorage.setItem("chatDeletions_u", JSON.stringify({ [ADDRESS]: { dueAt: Date.now() - 1_000 } }));
  stop();
  stop = keepDeleting("u");
  expect(isHidden()).toBe(true);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toEqual([`DELETE ${ADDRESS}`]);
});

test("another tab's is hidden here, and left to that tab at first", async () => {
  localStorage.setItem("chatDeletions_u", JSON.stringify({ [ADDRESS]: { dueAt: Date.now() + 10_000 } }));
  dispatchEvent(new StorageEvent("storage", { key: "chatDeletions_u" }));
  expect(isHidden()).toBe(true);
  await vi.advanceTimersByTimeAsync(12_000);
  expect(asked).toEqual([]);
  localStorage.removeItem("chatDeletions_u"); // taken back there
  dispatchEvent(new StorageEvent("storage", { key: "chatDeletions_u" }));
  expect(isHidden()).toBe(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual([]);
});

test("without a network it is tried again; what is gone already is done; what is refused comes back", async () => {
  answers = [0, 404];
  deleteSoon(ADDRESS, "Deleted");
  await vi.advanceTimersByTimeAsync(45_000);
  expect(asked).toHaveLength(2);
  expect(isHidden()).toBe(true);
  answers = [403];
  deleteSoon("/api/knowledge/shared", "Deleted");
  await vi.advanceTimersByTimeAsync(11_000);
  expect("/api/knowledge/shared" in useDeletions.getState().waiting).toBe(false);
});

test("who signs out has deleted what he deleted", async () => {
  deleteSoon(ADDRESS, "Deleted");
  await finishEverything();
  expect(asked).toEqual([`DELETE ${ADDRESS}`]);
});

const toasts = () => useToasts.getState().toasts.map(({ text }) => text);

test("what is in use after all is shown again and never deleted, which is said", async () => {
  deleteSoon(ADDRESS, "Deleted", undefined, "Not deleted");
  callOff(ADDRESS);
  expect(isHidden()).toBe(false);
  expect(toasts()).toEqual(["Not deleted"]);
  callOff(ADDRESS);
  expect(toasts()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual([]);
  expect(localStorage.getItem("chatDeletions_u")).toBeNull();
});

test("the tab that wanted it deleted says that it is not, also when another one was faster; that one says nothing", () => {
  deleteSoon(ADDRESS, "Deleted", undefined, "Not deleted");
  localStorage.removeItem("chatDeletions_u"); // called off there
  dispatchEvent(new StorageEvent("storage", { key: "chatDeletions_u" }));
  callOff(ADDRESS);
  expect(toasts()).toEqual(["Not deleted"]);
  localStorage.setItem("chatDeletions_u", JSON.stringify({ "/api/sessions/two": { dueAt: Date.now() + 10_000 } }));
  dispatchEvent(new StorageEvent("storage", { key: "chatDeletions_u" }));
  callOff("/api/sessions/two");
  expect(useDeletions.getState().waiting).toEqual({});
  expect(toasts()).toHaveLength(1);
});

test("what the server was told to delete, or what was taken back, is not called off", async () => {
  let answer = (_: Response): void => undefined;
  vi.stubGlobal("fetch", () => new Promise<Response>((resolve) => (answer = resolve)));
  deleteSoon(ADDRESS, "Deleted", undefined, "Not deleted");
  await vi.advanceTimersByTimeAsync(10_000);
  callOff(ADDRESS);
  expect(isHidden()).toBe(true);
  answer(new Response(null, { status: 204 }));
  await vi.advanceTimersByTimeAsync(0);
  callOff(ADDRESS);
  expect(isHidden()).toBe(true);
  deleteSoon("/api/sessions/two", "Deleted", undefined, "Not deleted");
  useToasts.getState().toasts.at(-1)!.undo!();
  callOff("/api/sessions/two");
  expect(toasts()).not.toContain("Not deleted");
});
