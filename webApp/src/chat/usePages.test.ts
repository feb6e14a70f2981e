// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useToasts } from "../shell/toasts";
import { strings } from "../strings";
import type { ChatMessage } from "./message";
import { mounted } from "./mounted";
import { usePages, type Pages } from "./usePages";

const ALL = "abcdefghijklmnopqrstuvwxyz";
const list = (ids: string) => [...ids].map((id) => ({ id }) as ChatMessage);
const names = (messages: ChatMessage[]) => messages.map(({ id }) => id).join("");
const never = new AbortController().signal;

const first = { messages: list("wxyz"), before: "w", after: null };
let pages: Pages;
let end: ChatMessage[];
let asked: string[];
let isDown = false;

/** A conversation of 26 messages, in pages of four. */
const server = async (address: string): Promise<Response> => {
  const query = new URL(address, "http://server").searchParams;
  query.delete("limit");
  asked.push(query.toString());
  if (isDown) throw new TypeError("nobody answered");
  const [[way, id]] = [...query] as [[string, string]];
  const at = ALL.indexOf(id);
  const [from, to] = { before: [at - 4, at], after: [at + 1, at + 5], around: [at - 2, at + 2] }[way]!;
  const messages = ALL.slice(Math.max(0, from!), to);
  const before = from! > 0 ? messages[0] : null;
  const after = to! < ALL.length ? messages.at(-1) : null;
  return Response.json({ messages: list(messages), before, after, around: way === "around" ? id : null });
};

async function opened() {
  const drawn = await mounted(() => {
    pages = usePages("s", first, end, (change) => void (end = change(end)));
  }, {});
  const act = async (what: () => unknown) => {
    await what();
    await vi.waitFor(() => expect([pages.older.isLoading, pages.newer.isLoading]).toEqual([false, false]));
    await drawn.draw({});
  };
  return { act, leave: drawn.leave };
}

beforeEach(() => {
  end = first.messages;
  asked = [];
  isDown = false;
  vi.stubGlobal("fetch", server);
});

afterEach(() => vi.unstubAllGlobals());

test("earlier pages come in front of the end", async () => {
  const { act, leave } = await opened();
  await act(() => pages.older.load());
  expect(names(pages.messages)).toBe("stuvwxyz");
  expect([pages.isPast, pages.newer.hasMore]).toEqual([false, false]);
  await leave();
});

test("far back a window of the past is shown, which grows both ways, and the end stays what it was", async () => {
  const { act, leave } = await opened();
  await act(() => pages.goTo("h", never));
  expect(names(pages.messages)).toBe("fghi");
  expect([pages.isPast, names(end)]).toEqual([true, "wxyz"]);
  await act(() => pages.older.load());
  await act(() => pages.newer.load());
  expect(names(pages.messages)).toBe("bcdefghijklm");
  expect(names(end)).toBe("wxyz");
  await leave();
});

test("a window that has come to the end is the end, with nothing left out and nothing twice", async () => {
  const { act, leave } = await opened();
  await act(() => pages.goTo("q", never));
  for (let i = 0; i < 2; i++) await act(() => pages.newer.load());
  expect([pages.isPast, names(pages.messages), names(end)]).toEqual([false, "opqrstuvwxyz", "opqrstuvwxyz"]);
  await act(() => pages.older.load());
  expect(names(end)).toBe("klmnopqrstuvwxyz");
  expect(pages.returns).toBe(0); // the reader stays where he is
  await leave();
});

test("what lies just before the end is shown with it at once", async () => {
  const { act, leave } = await opened();
  await act(() => pages.goTo("v", never));
  expect([pages.isPast, names(pages.messages)]).toEqual([false, "tuvwxyz"]);
  await act(() => pages.older.load());
  expect(names(pages.messages)).toBe("pqrstuvwxyz");
  await leave();
});

test("the way back shows the end as it is, and earlier pages of that", async () => {
  const { act, leave } = await opened();
  await act(() => pages.goTo("c", never));
  expect([names(pages.messages), pages.older.hasMore]).toEqual(["abcd", false]);
  await act(() => pages.toNewest());
  expect([pages.isPast, names(pages.messages), pages.returns]).toEqual([false, "wxyz", 1]);
  await act(() => pages.older.load());
  expect(names(pages.messages)).toBe("stuvwxyz");
  await leave();
});

test("a page that comes when its window is no longer shown changes nothing of the next", async () => {
  const { act, leave } = await opened();
  await act(() => pages.goTo("m", never));
  const { older, newer, goTo } = pages;
  await act(async () => {
    older.load();
    newer.load();
    await goTo("e", never);
  });
  expect([names(pages.messages), names(end)]).toEqual(["cdef", "wxyz"]);
  await leave();
});

test("a page that failed is told, and read when asked for again", async () => {
  const { act, leave } = await opened();
  await act(() => pages.goTo("m", never));
  isDown = true;
  await act(() => pages.newer.load());
  expect(pages.newer.error?.isOffline).toBe(true);
  expect(pages.older.error).toBe(null);
  isDown = false;
  await act(() => pages.newer.load());
  expect([pages.newer.error, names(pages.messages)]).toEqual([null, "klmnopqr"]);
  await leave();
});

test("who no longer wants to go there stays", async () => {
  const { act, leave } = await opened();
  const left = new AbortController();
  await act(() => {
    const going = pages.goTo("c", left.signal);
    left.abort();
    return going.catch(() => undefined);
  });
  expect([pages.isPast, names(pages.messages)]).toEqual([false, "wxyz"]);
  await leave();
});

test("who changes something far back makes an end of what is shown there, and has all back when that is refused", async () => {
  const { act, leave } = await opened();
  expect(pages.asEnd()).toBe(null);
  await act(() => pages.goTo("h", never));
  let goBack: (() => void) | null = null;
  await act(() => void (goBack = pages.asEnd()));
  expect([pages.isPast, names(pages.messages), names(end)]).toEqual([false, "fghi", "fghi"]);
  await act(() => {
    end = first.messages; // as useConversation takes back what was asked
    goBack!();
  });
  expect([pages.isPast, names(pages.messages), pages.newer.hasMore]).toEqual([true, "fghi", true]);
  await act(() => pages.toNewest());
  await act(() => pages.older.load());
  expect(names(pages.messages)).toBe("stuvwxyz");

  await act(() => pages.goTo("h", never));
  await act(() => pages.asEnd());
  await act(() => pages.older.load());
  expect(names(pages.messages)).toBe("bcdefghi");
  await leave();
});

test("what another device has changed far back is not shown as it was", async () => {
  const { act, leave } = await opened();
  await act(() => pages.goTo("m", never));
  await act(() => void (end = [...end, ...list("+")])); // said at the end
  expect([pages.isPast, names(pages.messages)]).toEqual([true, "klmn"]);
  await act(() => void (end = list("hij!"))); // instead of all that followed
  expect([pages.isPast, names(pages.messages), pages.returns]).toEqual([false, "hij!", 1]);
  expect(useToasts.getState().toasts.map(({ text }) => text)).toEqual([strings.chat.changedElsewhere]);
  await leave();
});

test("an end that was read anew goes on before its own beginning", async () => {
  const { act, leave } = await opened();
  await act(() => void (end = list("hij!")));
  await act(() => pages.older.load());
  expect([asked.at(-1), names(pages.messages)]).toEqual(["before=h", "defghij!"]);
  await act(() => void (end = list("ab!")));
  await act(() => pages.older.load());
  expect([names(pages.messages), pages.older.hasMore]).toEqual(["ab!", false]);
  await leave();
});
