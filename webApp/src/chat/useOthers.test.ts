// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { tellLive } from "../api/live/live";
import type { ChatMessage } from "./message";
import { mounted } from "./mounted";
import { useOthers, withNewest } from "./useOthers";

const list = (ids: string) => [...ids].map((id) => ({ id, role: "user", parts: [] }) as ChatMessage);
const merged = (shown: string, newest: string) => withNewest(list(shown), list(newest)).map((each) => each.id).join("");

const asked = vi.fn<() => Promise<Response>>();
const setMessages = vi.fn();
const resumeStream = vi.fn(async () => undefined);
const shown = (isAnswering: boolean) => ({ messages: list("a"), isAnswering, setMessages, resumeStream });
const opened = () => mounted((given: ReturnType<typeof shown>) => useOthers("s", given), shown(false));
const said = () => tellLive({ id: "1", type: "turn", data: { session_id: "s", reply_message_id: "c" } });
const page = () => Response.json({ messages: list("abc"), before: null });
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
