// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useToasts } from "../shell/toasts";
import { strings } from "../strings";
import type { ChatMessage } from "./message";
import { mounted } from "./mounted";
import { useOlder } from "./useOlder";
import { useSpot } from "./useSpot";

let pages: { answer: (ids: string, before: string | null) => void; fail: () => void }[] = [];
let spot: string | null = null;
let isSeeking = false;
let shown: string[] = []; // after each change
const setMessages = (change: (before: ChatMessage[]) => ChatMessage[]) =>
  void shown.push(change([{ id: "z" } as ChatMessage]).map(({ id }) => id).join(""));
const none: ChatMessage[] = [];

/** The message is known at once; the pages of its conversation come when a test lets them. */
const ask = (address: string): Promise<Response> =>
  address.endsWith("/messages/m")
    ? Promise.resolve(Response.json({ id: "m" }))
    : new Promise((resolve, reject) =>
        pages.push({
          answer: (ids, before) => resolve(Response.json({ messages: [...ids].map((id) => ({ id })), before })),
          fail: () => reject(new TypeError("nobody answered")),
        }),
      );

const opened = () =>
  mounted(() => {
    ({ spot, isSeeking } = useSpot("s", none, useOlder("s", "z", setMessages)));
  }, {});
const read = (count: number) => vi.waitFor(() => expect(pages).toHaveLength(count));
const toasts = () => useToasts.getState().toasts.map(({ text }) => text);
const quiet = () => new Promise((resolve) => setTimeout(resolve, 20));

beforeEach(() => {
  pages = [];
  shown = [];
  useToasts.getState().clear();
  vi.stubGlobal("fetch", ask);
  history.replaceState(null, "", "/?chat=s&message=m");
});

afterEach(() => vi.unstubAllGlobals());

test("pages are read until the message is among them, and shown together", async () => {
  const { leave } = await opened();
  await read(1);
  pages[0]!.answer("xy", "x");
  await read(2);
  expect(isSeeking).toBe(true);
  pages[1]!.answer("nm", "m");
  await vi.waitFor(() => expect(spot).toBe("m"));
  expect(isSeeking).toBe(false);
  expect(shown).toEqual(["nmxyz"]);
  expect(location.search).toBe("?chat=s");
  expect(toasts()).toEqual([]);
  await leave();
});

test("who leaves the conversation loads no further page of it", async () => {
  const { leave } = await opened();
  await read(1);
  await leave();
  pages[0]!.answer("yx", "x");
  await quiet();
  expect(pages).toHaveLength(1);
  expect(toasts()).toEqual([]);
});

test("an error on the way there is told", async () => {
  const { leave } = await opened();
  await read(1);
  pages[0]!.answer("xy", "x");
  await read(2);
  pages[1]!.fail();
  await vi.waitFor(() => expect(toasts()).toEqual([strings.memory.isOutOfReach]));
  expect(location.search).toBe("?chat=s");
  expect([spot, isSeeking]).toEqual([null, false]);
  expect(shown).toEqual(["xyz"]); // what was read on the way stays
  await leave();
});
