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
async function opened() {
  const conversation = await mounted((given: ReturnType<typeof shown>) => useOthers("s", given), shown(false));
  await pass(200); // it has looked whether anything was told
  return conversation;
}
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

/** What the page shows, as useChat would keep it, and what is asked here. */
async function living(first: string) {
  const { draw, leave } = await opened();
  let there = list(first);
  const show = (messages: ChatMessage[], isAnswering = false) => draw({ ...shown(isAnswering), messages: (there = messages) });
  setMessages.mockImplementation((change: (shown: ChatMessage[]) => ChatMessage[]) => void show(change(there)));
  const own = (ids: string, isAnswering: boolean) => show(list(ids), isAnswering);
  return { leave, own, there: () => there.map((each) => each.id).join("") };
}

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

test("who sends something before the second try keeps his own stream, and what was said is read at its end", async () => {
  asked.mockImplementationOnce(nobodyAnswers).mockImplementation(async () => page("abcde"));
  const { own, leave, there } = await living("a");
  said();
  await pass(1_000);
  await own("axe", true);
  await pass(5_000);
  expect(asked).toHaveBeenCalledTimes(1);
  expect(setMessages).not.toHaveBeenCalled();
  expect(resumeStream).not.toHaveBeenCalled();
  await own("axe", false);
  await pass(5_000);
  expect(there()).toBe("abcde");
  await leave();
});

test("who sends something while it is read keeps his own stream, and what was said is read at its end", async () => {
  let answer = (_: Response): void => undefined;
  asked.mockReturnValueOnce(new Promise((resolve) => (answer = resolve))).mockImplementation(async () => page("abcde"));
  const { own, leave, there } = await living("a");
  said();
  await pass(0);
  await own("axe", true);
  answer(page());
  await pass(5_000);
  expect(asked).toHaveBeenCalledTimes(1);
  expect(setMessages).not.toHaveBeenCalled();
  expect(resumeStream).not.toHaveBeenCalled();
  await own("axe", false);
  await pass(5_000);
  expect(there()).toBe("abcde");
  await leave();
});

test("what was asked and answered here while it was read is not replaced by what is older", async () => {
  let answer = (_: Response): void => undefined;
  asked.mockReturnValueOnce(new Promise((resolve) => (answer = resolve))).mockImplementation(async () => page("abcde"));
  const { own, leave, there } = await living("a");
  said();
  await pass(0);
  await own("ax", true);
  await own("axe", false);
  await pass(1_000);
  answer(page());
  await pass(5_000);
  expect(there()).toBe("abcde");
  await leave();
});

test("what was said before events were told is read when one's own answer has ended", async () => {
  asked.mockImplementation(async () => page("abcde"));
  const { own, leave, there } = await living("a");
  await own("axe", true);
  tellLive({ id: "2", type: "hello", data: {} });
  await pass(1_000);
  expect(asked).not.toHaveBeenCalled();
  await own("axe", false);
  await pass(5_000);
  expect(there()).toBe("abcde");
  await leave();
});

test("where nothing else was said one's own answer stays as it is", async () => {
  asked.mockImplementation(async () => page("abcde"));
  const { draw, leave } = await opened();
  await draw(shown(true, "abcxe")); // one's own question has another id until it is read
  tellLive({ id: "2", type: "hello", data: {} });
  await draw(shown(false, "abcxe"));
  await pass(5_000);
  expect(asked).toHaveBeenCalledTimes(1);
  expect(setMessages).not.toHaveBeenCalled();
  await leave();
});

test.each(["", "ab", "abxc"])("what is there no more when all is looked at is shown no more: only %j is left", async (left) => {
  asked.mockImplementation(async () => page(left));
  const { own, leave, there } = await living("a");
  await own("abxe", false);
  tellLive({ id: "2", type: "reset", data: {} });
  await pass(5_000);
  expect(there()).toBe(left);
  await leave();
});

test("an answer that was finished after its question was read, while something was asked here, is read at the end", async () => {
  asked.mockImplementationOnce(async () => page("ab")).mockImplementation(async () => page("abcde"));
  const { own, leave, there } = await living("a");
  said();
  await pass(50);
  await own("abx", true);
  await pass(5_000);
  expect(asked).toHaveBeenCalledTimes(1);
  await own("abxe", false);
  await pass(5_000);
  expect(there()).toBe("abcde");
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
