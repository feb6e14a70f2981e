// @vitest-environment jsdom
import { act } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { tellLive } from "../api/live/live";
import { useChatStore } from "../session/useChatStore";
import { useToasts } from "../shell/toasts";
import { strings } from "../strings";
import { textOf, type ChatMessage } from "./message";
import { mounted } from "./mounted";
import { useConversation } from "./useConversation";

type Body = { trigger: string; messageId?: string; message?: { id: string } };

let chat: ReturnType<typeof useConversation>;
let posted: Body[] = [];
/** How the server answers what is posted, one after the other. */
let answers: (() => Response | Promise<Response>)[] = [];
/** How it answers who listens. */
let heard: () => Response | Promise<Response>;
/** What it has of the conversation. */
let there: () => Response | Promise<Response>;
/** How it answers who wants it to stop. */
let stopped: () => Response;
const resend = vi.fn();
const onHeard = vi.fn();

const said = (id: string, role: "user" | "assistant"): ChatMessage => ({ id, role, parts: [{ type: "text", text: `text of ${id}` }] });
const stored = (id: string, role: "user" | "assistant"): ChatMessage => ({ ...said(id, role), metadata: { created_at: "2026" } });
const exchange = [said("q", "user"), said("a", "assistant")];
const nothing = () => new Response(null, { status: 204 });
const refusal = (status: number, code: string) => () => Response.json({ code, detail: "No." }, { status });
const offline = () => Promise.reject(new TypeError("nobody answered"));

const event = (chunk: object) => `id: turn:1\ndata: ${JSON.stringify(chunk)}\n\n`;
const begun = (id: string) =>
  event({ type: "start", messageId: id, messageMetadata: { turn_id: `turn of ${id}` } }) + event({ type: "text-start", id: "t" }) + event({ type: "text-delta", id: "t", delta: "Well" });
const rest = event({ type: "text-end", id: "t" }) + event({ type: "finish", messageMetadata: { state: "done" } }) + "data: [DONE]\n\n";
const streamed = (text: string) => () => new Response(text, { headers: { "Content-Type": "text/event-stream" } });
const endless = (text: string) => () =>
  new Response(new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(text)) }));

const early = [said("e", "user"), said("f", "assistant"), said("g", "user"), said("h", "assistant")];

async function fetched(address: string, init: RequestInit): Promise<Response> {
  if (address.endsWith("/stream")) return heard();
  if (address.includes("around=")) return Response.json({ messages: early, before: null, after: "h", around: "f" });
  if (address.endsWith("/stop")) return stopped();
  if (address !== "/api/chat") return there();
  posted.push(JSON.parse(String(init.body)) as Body);
  return answers.shift()!();
}

const opened = (messages: ChatMessage[]) => {
  const history = { messages, before: null, after: null };
  return mounted(() => {
    chat = useConversation("s", "assistant", history, onHeard);
  }, {});
};
const pass = (ms: number) => act(() => new Promise((resolve) => setTimeout(resolve, ms)));
const ids = () => chat.messages.map((each) => each.id).join("");
const page = (messages: ChatMessage[]) => Response.json({ messages, before: null, after: null });
/** An answer that is kept back. */
function held() {
  let answer = (_: Response | Promise<Response>): void => undefined;
  const kept = new Promise<Response>((resolve) => (answer = resolve));
  return { kept: () => kept, answer };
}
const tellTurn = (reply: string) => tellLive({ id: "1", type: "turn", data: { session_id: "s", reply_message_id: reply } });
const status = (wanted: string) => vi.waitFor(() => expect(chat.status).toBe(wanted), 3_000);
const toasts = () => useToasts.getState().toasts.map(({ text }) => text);
const shown = (wanted: string) => vi.waitFor(() => expect(ids()).toBe(wanted));

beforeEach(() => {
  posted = [];
  answers = [];
  heard = nothing;
  there = () => page([...exchange, said("new", "user")]);
  resend.mockReset();
  useToasts.getState().clear();
  useChatStore.getState().reset();
  vi.stubGlobal("fetch", fetched);
});

afterEach(() => vi.unstubAllGlobals());

test("an answer that is there is read again, not made again, when listening failed", async () => {
  heard = refusal(503, "overloaded");
  const { leave } = await opened(exchange);
  await status("error");
  chat.retry(resend);
  expect(useChatStore.getState().generation).toBe(1);
  expect(posted).toEqual([]);
  expect(ids()).toBe("qa");
  await leave();
});

test("what is refused stays refused when it is sent while another device is listened to", async () => {
  const { leave } = await opened(exchange);
  const line = held();
  heard = line.kept;
  tellTurn("new");
  await shown("qanew");
  answers = [refusal(429, "rate_limited")];
  const sending = chat.send("hello", []);
  await pass(50);
  line.answer(nothing());
  expect(await sending).toBe(false);
  await pass(300); // what useChat has heard is drawn
  expect(chat.error?.code).toBe("rate_limited");
  await leave();
});

test("an answer whose line was cut is read again, not made again", async () => {
  answers = [streamed(begun("b"))];
  const { leave } = await opened(exchange);
  expect(await chat.send("hello", [])).toBe(true);
  await status("error");
  expect(chat.error?.code).toBe("interrupted");
  chat.retry(resend);
  expect(useChatStore.getState().generation).toBe(1);
  expect(posted).toHaveLength(1);
  await leave();
});

test("an answer whose line was cut is whole once something else was asked and answered", async () => {
  answers = [streamed(begun("b")), streamed(begun("c") + rest)];
  const { leave } = await opened(exchange);
  await chat.send("hello", []);
  tellTurn("b");
  await status("error");
  expect(chat.messages.map(textOf).at(-1)).toBe("Well");
  there = () => page([...exchange, ...["x", "b", "y", "c"].map((id, place) => stored(id, place % 2 ? "assistant" : "user"))]);
  await chat.send("something else", []);
  tellTurn("c");
  await shown("qaxbyc");
  expect(chat.messages.map(textOf)[3]).toBe("text of b");
  await leave();
});

test("an answer that failed is made again", async () => {
  answers = [streamed(begun("b") + event({ type: "error", errorText: "It broke." })), streamed(begun("c") + rest)];
  const { leave } = await opened(exchange);
  await chat.send("hello", []);
  await status("error");
  chat.retry(resend);
  await status("ready");
  expect(posted[1]).toMatchObject({ trigger: "regenerate-message", messageId: "b" });
  expect(chat.messages.at(-1)?.id).toBe("c");
  expect(useChatStore.getState().generation).toBe(0);
  await leave();
});

test("a message that was refused is not in the conversation, and is repeated under its own id", async () => {
  answers = [refusal(503, "overloaded"), offline, streamed(begun("b") + rest)];
  const { leave } = await opened(exchange);
  expect(await chat.send("hello", [])).toBe(false);
  await status("error");
  await shown("qa");
  chat.retry(resend);
  expect(resend).toHaveBeenCalledOnce();
  expect(await chat.send("hello", [])).toBe(false);
  expect(await chat.send("hello", [])).toBe(true);
  await status("ready");
  expect(new Set(posted.map((each) => each.message?.id)).size).toBe(1);
  expect(chat.messages).toHaveLength(4);
  await leave();
});

test("other words than those that were refused are a message of their own", async () => {
  answers = [refusal(422, "invalid_request"), streamed(begun("b") + rest)];
  const { leave } = await opened(exchange);
  await chat.send("too long", []);
  expect(await chat.send("short", [])).toBe(true);
  await status("ready");
  expect(posted[1]).not.toHaveProperty("messageId");
  expect(posted[1]!.message!.id).not.toBe(posted[0]!.message!.id);
  expect(chat.messages.map(textOf)).toEqual(["text of q", "text of a", "short", "Well"]);
  await leave();
});

test("what another device says after a refusal is shown, and trying again is about that", async () => {
  answers = [refusal(409, "turn_in_progress")];
  const { leave } = await opened(exchange);
  await chat.send("hello", []);
  await status("error");
  heard = () => {
    heard = nothing; // its line is cut
    return streamed(begun("b"))();
  };
  tellTurn("b");
  await shown("qanewb");
  await status("error");
  chat.retry(resend);
  expect(resend).not.toHaveBeenCalled();
  expect(useChatStore.getState().generation).toBe(1);
  await leave();
});

test("a message whose turn is over for good is sent under another id", async () => {
  answers = [refusal(502, "model_failed"), streamed(begun("b") + rest)];
  const { leave } = await opened(exchange);
  expect(await chat.send("hello", [])).toBe(false);
  expect(await chat.send("hello", [])).toBe(true);
  await status("ready");
  expect(posted[1]!.message!.id).not.toBe(posted[0]!.message!.id);
  await leave();
});

test("an edit that was refused leaves the conversation as it is, says so, and stays an edit", async () => {
  answers = [refusal(429, "rate_limited"), streamed(begun("b") + rest)];
  const { leave } = await opened(exchange);
  expect(await chat.edit(exchange[0]!, "otherwise")).toBe(false);
  await shown("qa");
  expect(toasts()).toEqual(["No."]);
  expect(chat.error).toBeNull();
  expect(await chat.edit(exchange[0]!, "otherwise")).toBe(true);
  await status("ready");
  expect(posted.map((each) => each.messageId)).toEqual(["q", "q"]);
  await shown("qb");
  await leave();
});

test("an answer anew that was refused leaves the old one, and is asked for once more", async () => {
  answers = [refusal(429, "rate_limited"), streamed(begun("b") + rest)];
  const { leave } = await opened([...exchange, said("x", "user"), said("y", "assistant")]);
  await chat.again(exchange[1]!);
  await shown("qaxy");
  chat.retry(resend);
  await status("ready");
  await shown("qb");
  expect(posted.map((each) => each.messageId)).toEqual(["a", "a"]);
  await leave();
});

test("an edit waits for the answer that is being written", async () => {
  answers = [endless(begun("b"))];
  const { leave } = await opened(exchange);
  await chat.send("hello", []);
  await status("streaming");
  expect(await chat.edit(exchange[0]!, "otherwise")).toBe(false);
  expect(toasts()).toEqual([strings.chat.editWaits]);
  expect(posted).toHaveLength(1);
  await leave();
});

/** Far back in a conversation, with a server that refuses the first that is asked of it. */
async function wentBack() {
  answers = [refusal(429, "rate_limited"), streamed(begun("b") + rest)];
  const { leave } = await opened(exchange);
  const seen = (page: string, end: string, isPast: boolean) =>
    vi.waitFor(() => expect([chat.pages.messages.map((each) => each.id).join(""), ids(), chat.pages.isPast]).toEqual([page, end, isPast]));
  await chat.pages.goTo("f", new AbortController().signal);
  await seen("efgh", "qa", true);
  return { leave, seen };
}

test("far back an answer is made anew instead of all that followed, or all stays and it is said why", async () => {
  const { leave, seen } = await wentBack();
  await chat.again(early[1]!);
  await seen("efgh", "qa", true);
  expect([toasts(), chat.error]).toEqual([["No."], null]);
  await chat.again(early[1]!);
  await status("ready");
  await seen("eb", "eb", false);
  expect(posted.map((each) => each.messageId)).toEqual(["f", "f"]);
  await leave();
});

test("far back a message is edited instead of all that followed, or all stays and it is said why", async () => {
  const { leave, seen } = await wentBack();
  expect(await chat.edit(early[2]!, "otherwise")).toBe(false);
  await seen("efgh", "qa", true);
  expect(toasts()).toEqual(["No."]);
  expect(await chat.edit(early[2]!, "otherwise")).toBe(true);
  await status("ready");
  await seen("efgb", "efgb", false);
  expect(textOf(chat.messages[2]!)).toBe("otherwise");
  await leave();
});

test.each(["edit", "again"] as const)("%s of what was changed elsewhere while it waited is not asked for, and it is said why", async (change) => {
  const line = held();
  heard = line.kept;
  there = () => page([said("Q", "user"), said("A", "assistant")]);
  const { leave } = await opened(exchange);
  const changing = changes[change]();
  tellTurn("A");
  await shown("QA");
  line.answer(nothing());
  expect(await changing).toBeFalsy();
  expect(toasts()).toEqual([strings.chat.notThere]);
  expect([posted, ids(), chat.error]).toEqual([[], "QA", null]);
  await leave();
});

test("what is said while another device's answer is heard is shown at once, and sent when that has ended", async () => {
  const line = held();
  heard = line.kept;
  answers = [streamed(begun("c") + rest)];
  const { leave } = await opened([...exchange, said("r", "user")]);
  const sending = chat.send("hello", []);
  const waits = (text: string | null) => vi.waitFor(() => expect(chat.waiting && textOf(chat.waiting)).toBe(text));
  await waits("hello");
  let end = () => {};
  const pieces = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(begun("b")));
      end = () => controller.enqueue(new TextEncoder().encode(rest));
    },
  });
  line.answer(new Response(pieces));
  await status("streaming");
  await shown("qarb");
  await waits("hello");
  expect(posted).toEqual([]);
  end();
  expect(await sending).toBe(true);
  await waits(null);
  await vi.waitFor(() => expect(chat.messages.map(textOf).slice(3)).toEqual(["Well", "hello", "Well"]));
  await leave();
});

const changes = { edit: () => chat.edit(exchange[0]!, "otherwise"), again: () => chat.again(exchange[1]!), send: () => chat.send("hello", []) };

test.each(["edit", "again", "send"] as const)("%s waits until it is known what is being written", async (change) => {
  const first = held();
  heard = first.kept;
  answers = [endless(begun("b"))];
  const { leave } = await opened(exchange);
  void changes[change]();
  const second = held();
  heard = second.kept; // asked for when somebody else says something: nobody waits for the first any more
  tellTurn("new");
  await shown("qanew");
  first.answer(nothing());
  await pass(50);
  expect(posted).toEqual([]);
  second.answer(nothing());
  await status("streaming");
  await pass(300);
  expect(chat.status).toBe("streaming");
  expect(posted).toHaveLength(1);
  await leave();
});

test("a history that comes late does not take what was asked meanwhile", async () => {
  const [late, answer] = [held(), held()];
  there = late.kept;
  answers = [answer.kept];
  const asked = [...exchange, said("r", "user")];
  const { leave } = await opened(asked);
  await pass(50);
  there = () => page([...asked, said("s", "assistant")]);
  tellTurn("s");
  await shown("qars");
  void chat.send("hello", []);
  await status("submitted");
  late.answer(page(asked));
  await pass(100);
  expect(chat.messages.map(textOf).slice(-2)).toEqual(["text of s", "hello"]);
  await leave();
});

test("what is stopped before the server has taken it is stopped then", async () => {
  const taken = held();
  answers = [taken.kept];
  const runs: boolean[] = [];
  let isTaken = false;
  stopped = () => (runs.push(isTaken), isTaken ? Response.json({ turn_id: "t" }, { status: 202 }) : nothing());
  const { leave } = await opened(exchange);
  void chat.send("hello", []);
  await status("submitted");
  const stopping = chat.stop();
  await vi.waitFor(() => expect(runs).toEqual([false]));
  isTaken = true;
  taken.answer(endless(begun("b"))());
  await stopping;
  expect(runs).toEqual([false, true]);
  await leave();
});
