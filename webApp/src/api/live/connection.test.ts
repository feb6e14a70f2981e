// @vitest-environment jsdom
import { afterEach, expect, test, vi } from "vitest";
import { takeTokensFrom } from "../client";
import { keepListening, waitMs } from "./connection";
import type { LiveEvent } from "./eventStream";

afterEach(() => {
  takeTokensFrom(null);
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const streamOf = (text: string) => new Response(text, { headers: { "content-type": "text/event-stream" } });
const frame = (id: number) => `id: ${id}\nevent: session\ndata: {"n": ${id}}\n\n`;

test("every end is followed by another beginning, after the last event, until it is over", async () => {
  vi.useFakeTimers();
  const asked: (string | null)[] = [];
  const answers = [streamOf(frame(1) + frame(2)), new TypeError("network"), streamOf(frame(3))];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    asked.push(new Headers(init.headers).get("last-event-id"));
    const answer = answers.shift() ?? new TypeError("network");
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const heard: LiveEvent[] = [];
  const over = new AbortController();
  const done = keepListening({ last: () => heard.at(-1)?.id ?? null, hear: (each) => heard.push(each) }, over.signal);
  await vi.advanceTimersByTimeAsync(10_000);
  over.abort();
  await done;
  expect(heard.map(({ id }) => id)).toEqual(["1", "2", "3"]);
  expect(asked.slice(0, 4)).toEqual([null, "2", "2", "3"]);
});

test("a stream that says nothing for long is left for another", async () => {
  vi.useFakeTimers();
  let asked = 0;
  vi.stubGlobal("fetch", (_: string, { signal }: RequestInit) => {
    asked++;
    return new Promise((_resolve, reject) => signal!.addEventListener("abort", () => reject(new DOMException("", "AbortError"))));
  });
  const over = new AbortController();
  const done = keepListening({ last: () => null, hear: () => undefined }, over.signal);
  await vi.advanceTimersByTimeAsync(45_000);
  expect(asked).toBe(2);
  over.abort();
  await done;
});

test("being online again ends the wait", async () => {
  vi.useFakeTimers();
  let asked = 0;
  vi.stubGlobal("fetch", async () => {
    asked++;
    throw new TypeError("network");
  });
  const over = new AbortController();
  const done = keepListening({ last: () => null, hear: () => undefined }, over.signal);
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toBe(1);
  dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toBe(2);
  over.abort();
  await done;
});

test("a refused token is refreshed before the next stream", async () => {
  const used: (string | null)[] = [];
  const over = new AbortController();
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    used.push(new Headers(init.headers).get("authorization"));
    return used.length === 1 ? new Response("{}", { status: 401 }) : streamOf(frame(1));
  });
  takeTokensFrom({ token: async () => "old", refresh: async () => "new" });
  await keepListening({ last: () => null, hear: () => over.abort() }, over.signal);
  expect(used).toEqual(["Bearer old", "Bearer new"]);
});

test("the wait grows, keeps below its end, and is as long as the server asks", () => {
  expect(waitMs(0, null, 1)).toBe(1_000);
  expect(waitMs(3, null, 1)).toBe(8_000);
  expect(waitMs(99, null, 1)).toBe(30_000);
  expect(waitMs(0, null, 0)).toBe(500);
  expect(waitMs(0, 10, 0)).toBe(10_000);
  expect(waitMs(0, 9_999, 0)).toBe(30_000);
});
