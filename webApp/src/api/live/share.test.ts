import { afterEach, expect, test, vi } from "vitest";
import type { Place } from "./connection";
import type { LiveEvent } from "./eventStream";
import { shareEvents } from "./share";

/** One lock after the other, as the browser gives them, between tabs that here are all in one page. */
function browserLocks(): LockManager {
  let last: Promise<unknown> = Promise.resolve();
  const request = (_name: string, { signal }: LockOptions, work: () => Promise<void>) => {
    const before = last;
    const turn = (async () => {
      await before.catch(() => undefined);
      signal?.throwIfAborted();
      await work();
    })();
    last = turn;
    return turn;
  };
  return { request } as unknown as LockManager;
}

const stops: (() => void)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

function tabs(locks: LockManager | undefined) {
  const connections: { place: Place; from: string | null }[] = [];
  const listen = (place: Place, signal: AbortSignal) => {
    connections.push({ place, from: place.last() });
    return new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  };
  const open = () => {
    const heard: string[] = [];
    const stop = shareEvents("u", (event) => heard.push(`${event.type} ${event.id}`), { locks: locks as LockManager, listen });
    stops.push(stop);
    return { heard, stop };
  };
  return { connections, open };
}

const event = (id: string, type = "session"): LiveEvent => ({ id, type, data: {} });

test("one tab listens, all hear, and the next one goes on where the first has ended", async () => {
  const { connections, open } = tabs(browserLocks());
  const [first, second] = [open(), open()];
  await vi.waitFor(() => expect(connections).toHaveLength(1));
  connections[0]!.place.hear(event("5", "hello"));
  connections[0]!.place.hear(event("6"));
  await vi.waitFor(() => expect(second.heard).toEqual(["hello 5", "session 6"]));
  expect(first.heard).toEqual(second.heard);

  first.stop();
  await vi.waitFor(() => expect(connections).toHaveLength(2));
  expect(connections[1]!.from).toBe("6");
  connections[1]!.place.hear(event("6", "hello")); // the server's: you have missed nothing
  connections[1]!.place.hear(event("7"));
  expect(second.heard).toEqual(["hello 5", "session 6", "session 7"]);
  expect(first.heard).toHaveLength(2);
});

test("nothing is told twice, and after a reset numbers may begin anew", async () => {
  const { connections, open } = tabs(browserLocks());
  const { heard } = open();
  await vi.waitFor(() => expect(connections).toHaveLength(1));
  for (const each of [event("9"), event("9"), event("8"), event("2", "reset"), event("3")]) connections[0]!.place.hear(each);
  expect(heard).toEqual(["session 9", "reset 2", "session 3"]);
});

test("a tab that leaves before its turn never listens", async () => {
  const { connections, open } = tabs(browserLocks());
  const [first, second, third] = [open(), open(), open()];
  await vi.waitFor(() => expect(connections).toHaveLength(1));
  second.stop();
  first.stop();
  await vi.waitFor(() => expect(connections).toHaveLength(2));
  connections[1]!.place.hear(event("1"));
  expect(third.heard).toEqual(["session 1"]);
  expect(second.heard).toEqual([]);
});
