// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { tellLive } from "../api/live/live";
import type { ChatMessage } from "./message";
import { mounted } from "./mounted";
import { useOthers, withNewest } from "./useOthers";

const ANSWERS = "ace";
const list = (ids: string) => [...ids].map((id) => ({ id, role: ANSWERS.includes(id) ? "assistant" : "user", parts: [] }) as ChatMessage);
const merged = (shown: string, newest: string) => withNewest(list(shown), list(newest)).map((each) => each.id).join("");

const asked = vi.fn<() => Promise<Response>>();
const setMessages = vi.fn();
const resumeStream = vi.fn(async () => undefined);
const shown = (isAnswering: boolean, ids = "a", hasFailed = false) =>
  ({ messages: list(ids), isAnswering, hasFailed, setMessages, resumeStream });
const opened = () => mounted((given: ReturnType<typeof shown>) => useOthers("s", given), shown(false));
const said = (reply = "c") => tellLive({ id: "1", type: "turn", data: { session_id: "s", reply_message_id: reply } });
const page = (ids = "abc") => Response.json({ messages: list(ids), before: null });
const nobodyAnswers = () => Promise.reject(new TypeError("nobody answered"));
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", asked.mockReset());
  setMessages.mockReset();
  resumeStream.mockClear();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("older pages stay, what was replaced goes, what is new comes", () => {
  expect(merged("abcd", "cdef")).toBe("abcdef");
  expect(merged("abcd", "cX")).toBe("abcX");
  expect(merged("ab", "abcd")).toBe("abcd");
  expect(merged("", "ab")).toBe("ab");
  expect(merged("ab", "")).toBe("");
});

test("what another device said is read again when nobody answered, and listened to", async () => {
  asked.mockImplementationOnce(nobodyAnswers).mockImplementation(async () => page());
  const { leave } = await opened();
  said();
  await pass(1_900);
  expect(setMessages).not.toHaveBeenCalled();
  await pass(200);
  expect(setMessages).toHaveBeenCalledTimes(1);
  expect(resumeStream).toHaveBeenCalledTimes(1);
  await leave();
});

test("who sends something before the second try keeps his own stream", async () => {
  asked.mockImplementationOnce(nobodyAnswers).mockImplementation(async () => page());
  const { draw, leave } = await opened();
  said();
  await pass(1_000);
  await draw(shown(true));
  await pass(5_000);
  expect(asked).toHaveBeenCalledTimes(1);
  expect(setMessages).not.toHaveBeenCalled();
  expect(resumeStream).not.toHaveBeenCalled();
  await leave();
});

test("who sends something while it is read keeps his own stream", async () => {
  let answer = (_: Response): void => undefined;
  asked.mockReturnValue(new Promise((resolve) => (answer = resolve)));
  const { draw, leave } = await opened();
  said();
  await pass(0);
  await draw(shown(true));
  answer(page());
  await pass(0);
  expect(asked).toHaveBeenCalledTimes(1);
  expect(setMessages).not.toHaveBeenCalled();
  expect(resumeStream).not.toHaveBeenCalled();
  await leave();
});

test("a conversation that was left is not read again, whether it fails before or after", async () => {
  let fail = (_: Error): void => undefined;
  asked.mockImplementationOnce(nobodyAnswers).mockReturnValue(new Promise((_, reject) => (fail = reject)));
  const first = await opened();
  said();
  await pass(1_000);
  await first.leave();
  await pass(5_000);
  expect(asked).toHaveBeenCalledTimes(1);
  const second = await opened();
  said();
  await pass(0);
  await second.leave();
  fail(new TypeError("nobody answered"));
  await pass(5_000);
  expect(asked).toHaveBeenCalledTimes(2);
});

/** What the page shows, as useChat would keep it. */
async function living(ids: string) {
  const { draw, leave } = await opened();
  let there = list(ids);
  setMessages.mockImplementation((change: (shown: ChatMessage[]) => ChatMessage[]) => {
    there = change(there);
    void draw({ ...shown(false), messages: there });
  });
  return { leave, there: () => there.map((each) => each.id).join("") };
}

test("what is told of while it is read is read once more, however often it is told", async () => {
  let answer = (_: Response): void => undefined;
  asked.mockReturnValueOnce(new Promise((resolve) => (answer = resolve))).mockImplementation(async () => page("abcde"));
  const { leave, there } = await living("a");
  said("c");
  await pass(10);
  for (const reply of ["c", "e", "e"]) said(reply);
  answer(page("abc"));
  await pass(5_000);
  expect(asked).toHaveBeenCalledTimes(2);
  expect(there()).toBe("abcde");
  await leave();
});

test("an answer that was finished after the question was read, and before it was listened to, is read", async () => {
  asked.mockImplementationOnce(async () => page("ab")).mockImplementation(async () => page("abc"));
  const { leave, there } = await living("a");
  said("c");
  await pass(5_000);
  expect(there()).toBe("abc");
  expect(asked).toHaveBeenCalledTimes(2);
  await leave();
});

test("a question that stays without an answer is read again once, not for ever", async () => {
  asked.mockImplementation(async () => page("ab"));
  const { leave } = await living("a");
  said("c");
  await pass(60_000);
  expect(asked).toHaveBeenCalledTimes(2);
  await leave();
});

test("what was said elsewhere while an answer was written here is read at its end, and one's own is not", async () => {
  asked.mockImplementation(async () => page("abcde"));
  const { draw, leave } = await opened();
  for (const [after, times] of [["abc", 0], ["abc", 1]] as const) {
    await draw(shown(true));
    said(times ? "e" : "c");
    await draw(shown(false, after));
    await pass(5_000);
    expect(asked).toHaveBeenCalledTimes(times);
  }
  await draw(shown(true));
  said("x");
  await draw(shown(false, "abc", true)); // the user reads why
  await pass(5_000);
  expect(asked).toHaveBeenCalledTimes(1);
  await leave();
});

test("what was said before events were told, and after the page was read, is read when both come together", async () => {
  let answer = (_: Response): void => undefined;
  asked.mockReturnValueOnce(new Promise((resolve) => (answer = resolve))).mockImplementation(async () => page("abcde"));
  const { leave, there } = await living("a");
  said();
  await pass(10);
  tellLive({ id: "2", type: "reset", data: {} });
  answer(page());
  await pass(5_000);
  expect(there()).toBe("abcde");
  await leave();
});
