import { Chat, useChat } from "@ai-sdk/react";
import type { SupabaseClient } from "@supabase/supabase-js";
import { DefaultChatTransport, type UIMessage } from "ai";
import { useEffect, useState } from "react";

const JSON_BODY = { "Content-Type": "application/json" };

/** The server, as the user whose token it is; `token` is asked before each request. */
export function connect(server: string, token: () => Promise<string>) {
  const headers = async () => ({ Authorization: `Bearer ${await token()}` });

  async function call(method: string, path: string, body?: object, more: Record<string, string> = {}) {
    const isForm = body instanceof FormData; // files: the browser itself says what it sends
    const known = { method, headers: { ...(await headers()), ...(isForm ? {} : JSON_BODY), ...more } };
    const answer = await ask(server + path, body ? { ...known, body: isForm ? body : JSON.stringify(body) } : known);
    return answer.status === 204 ? null : answer.json();
  }

  const events = async (more: Record<string, string>, signal: AbortSignal) =>
    (await ask(`${server}/api/events`, { headers: { ...(await headers()), ...more }, signal })).body!;

  const transport = new DefaultChatTransport<Message>({
    api: `${server}/api/chat`,
    headers,
    fetch: askForAll,
    prepareSendMessagesRequest: ({ id, trigger, messageId, messages, body }) => {
      const sent = messages.filter(({ role }) => role === "user").slice(-1);
      return { body: { ...body, id, trigger, messageId, messages: sent } };
    },
  });
  return { call, events, transport };
}

/** Who is signed in at Supabase; supabase-js refreshes the token when it is old. */
export const asSupabaseUser = (server: string, supabase: SupabaseClient) =>
  connect(server, async () => (await supabase.auth.getSession()).data.session?.access_token ?? "");

/** Anybody, under any name: with AUTH_MODE=dev, on this machine only. */
export function asDeveloper(server: string, user: string) {
  const wish = { method: "POST", headers: JSON_BODY, body: JSON.stringify({ user }) };
  let token = "";
  let renewAt = 0;
  return connect(server, async () => {
    if (Date.now() >= renewAt) {
      const given = await (await ask(`${server}/api/dev/token`, wish)).json();
      token = given.access_token;
      renewAt = Date.now() + (given.expires_in - 60) * 1000;
    }
    return token;
  });
}

export type Session = { id: string; messages: Message[] };
export type Connection = ReturnType<typeof connect>;

/** What was said in a session, as the server has it: the last 50 messages. */
export async function history({ call }: Connection, id: string): Promise<Message[]> {
  return (await call("GET", `/api/sessions/${id}/messages`)).messages;
}

/** The session that the user was in last, on whatever device, or a new one. */
export async function open(connection: Connection): Promise<Session> {
  const { session_id: id } = await connection.call("POST", "/api/sessions/resolve", {});
  return { id, messages: await history(connection, id) };
}

/** Shows what the server has, unless something was asked here meanwhile; whether that is what is shown now. */
async function catchUp(connection: Connection, chat: Chat<Message>): Promise<boolean> {
  const { lastMessage, error } = chat;
  const said = await history(connection, chat.id);
  if (isAnswering(chat)) return false;
  const isCalm = chat.status === "ready";
  if (isCalm && outline(said) === outline(chat.messages)) return true; // ours have the texts of what was used
  if (chat.lastMessage !== lastMessage || chat.error !== error) return isCalm && catchUp(connection, chat); // it is older
  chat.messages = said;
  return true;
}

/** What was asked here has another id until it is read. */
const outline = (messages: Message[]) =>
  messages.map(({ id, role, metadata }) => (role === "user" ? role : `${id} ${metadata?.state}`)).join();

/** What the server has, and the rest of an answer that is being written; whether that is what is shown now. */
async function reconnect(connection: Connection, chat: Chat<Message>): Promise<boolean> {
  if (!(await catchUp(connection, chat))) return false;
  const last = chat.lastMessage;
  if (last?.role !== "user") chat.clearError();
  else await chat.resumeStream();
  const isOver = last?.role === "user" && chat.status === "ready" && chat.lastMessage === last;
  return !isOver || catchUp(connection, chat); // the answer ended after its question was read
}

/** A chat, and what it hears of the others: what they said is shown at once, or when its own answer has ended. */
function begin(connection: Connection, { id, messages }: Session) {
  const told: string[] = []; // answers that may be missing here; "": anything may
  async function look(): Promise<void> {
    const missing = told.splice(0).filter((each) => chat.messages.every((shown) => shown.id !== each));
    if (missing.length && !(await reconnect(connection, chat).catch(() => false))) told.push(...missing);
  }
  const onFinish = () => void (chat.status === "ready" && look());
  const onError = (error: Error) => {
    if (["broken_off", "turn_in_progress", "unreachable"].includes(problem(error).code)) told.push("");
    if (error instanceof BrokenOff) setTimeout(look, 500); // an error that comes then stays for the button
  };
  const heard = (event: string, { session_id, reply_message_id = "" }: Heard) => {
    if (event === "turn" && session_id === id) told.push(reply_message_id);
    if (event === "hello" || event === "reset") told.push(""); // nobody tells what was said before
    onFinish();
  };
  const chat = patient(new Chat<Message>({ id, messages, transport: connection.transport, onError, onFinish }));
  return { chat, heard };
}

/** It asks nothing until it knows what is being written: "nothing" would be the end of what is asked meanwhile. */
function patient(chat: Chat<Message>) {
  const { resumeStream, sendMessage, regenerate } = chat;
  let resumed = Promise.resolve();
  const known = (seen = resumed): Promise<void> => seen.then(() => (seen === resumed ? undefined : known()));
  chat.resumeStream = (...asked) => (resumed = resumeStream(...asked));
  chat.sendMessage = (...asked) => known().then(() => sendMessage(...asked));
  chat.regenerate = (...asked) => known().then(() => regenerate(...asked));
  return Object.assign(chat, { known });
}

/** Whether the server took it. What it refuses has changed nothing there: then nothing changes here. */
async function isTaken(chat: ReturnType<typeof patient>, request: () => Promise<void>): Promise<boolean> {
  await chat.known();
  const before = chat.messages;
  await request();
  const isRefused = chat.status === "error" && chat.lastMessage?.role === "user"; // no answer has begun
  if (isRefused) chat.messages = before;
  return !isRefused;
}

/** useChat with a stop that stops, a way on after an error, and what other tabs and devices say in the session. */
export function useConversation(connection: Connection, session: Session) {
  const [{ chat, heard }] = useState(() => begin(connection, session));
  useEffect(() => {
    const leaving = new AbortController();
    void follow(connection, heard, leaving.signal);
    return () => leaving.abort();
  }, [connection, heard]);
  return {
    ...useChat({ chat, resume: true }),
    stop: async () => {
      const question = () => chat.messages.filter(({ role }) => role === "user").pop();
      const asked = question();
      for (let tries = 20; tries && question() === asked; tries--) {
        if ((await connection.call("POST", `/api/chat/${chat.id}/stop`)) || !isAnswering(chat)) return;
        await new Promise((resolve) => setTimeout(resolve, 250)); // nothing runs: what was sent may not have begun
      }
    },
    /** The message says something else now, with the pictures that it has; all that followed is replaced. */
    edit: ({ id: messageId, parts }: Message, text: string) => {
      const files = parts.filter((part) => part.type === "file");
      return isTaken(chat, () => chat.sendMessage({ text, files, messageId }));
    },
    regenerate: (asked: { messageId?: string } = {}) => isTaken(chat, () => chat.regenerate(asked)),
    /** For a button beside the error: what was refused is sent, what failed answered anew, what broke off goes on. */
    retry: async () => {
      const code = chat.error && problem(chat.error).code;
      if (chat.lastMessage?.role === "assistant" && code !== "model_failed") return reconnect(connection, chat);
      await chat.regenerate();
    },
  };
}

const isAnswering = ({ status }: { status: string }) => status === "submitted" || status === "streaming";

export type Heard = { session_id?: string; turn_id?: string; reply_message_id?: string; state?: string };

/** Tells each event, and comes back behind the last one, until `signal` ends it or nobody is signed in any more. */
export async function follow({ events }: Connection, heard: (event: string, data: Heard) => void, signal: AbortSignal) {
  let last = "";
  while (!signal.aborted) {
    try {
      const pieces = (await events(last ? { "Last-Event-ID": last } : {}, signal)).getReader();
      const decoder = new TextDecoder();
      let rest = "";
      for (let read = await pieces.read(); !read.done; read = await pieces.read()) {
        const frames = (rest + decoder.decode(read.value, { stream: true })).split("\n\n");
        rest = frames.pop() ?? "";
        for (const frame of frames) {
          const fields = new Map(frame.split("\n").map((line) => line.split(/: (.*)/) as [string, string]));
          last = fields.get("id") ?? last;
          if (fields.has("event")) heard(fields.get("event")!, JSON.parse(fields.get("data")!));
        }
      }
    } catch (error) {
      if (error instanceof Refused && error.code === "unauthenticated") return;
    }
    await new Promise((resolve) => setTimeout(resolve, 3000));
  }
}

export type Message = UIMessage<{
  turn_id?: string;
  state?: string;
  memories_used?: { id: string; what: "memory" | "message"; text?: string }[];
  sources?: { article_id: string; title: string; page?: number }[];
}>;

/** What was learned of an answer: memories, a moment after it has ended. */
export async function learned({ call }: Connection, id: string, answer: Message): Promise<Learned[]> {
  const { memories } = await call("GET", `/api/memories?session_id=${id}`);
  return memories.filter((each: Learned) => each.source.turn_id === answer.metadata?.turn_id);
}

export type Learned = { id: string; text: string; source: { turn_id: string } };

export class Refused extends Error {
  code = "not_ours";
}

/** fetch, to which a refusal is an error, and a page where there should be an answer, too. */
async function ask(...asked: Parameters<typeof fetch>): Promise<Response> {
  const answer = await fetch(...asked);
  if (answer.ok && !answer.headers.get("Content-Type")?.startsWith("text/html")) return answer;
  const said = await answer.json().catch(() => null);
  if (typeof said?.code === "string" && typeof said.detail === "string")
    throw Object.assign(new Refused(said.detail), { code: said.code });
  throw new Refused(`The server cannot answer now (${answer.status}). Try again later.`);
}

export class BrokenOff extends Error {}

/** The same for answers: useChat takes one that ends before its end, as when the token expires, for a whole one. */
async function askForAll(...asked: Parameters<typeof fetch>): Promise<Response> {
  const answer = await ask(...asked);
  let end = "";
  const whole = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, passed) {
      end = (end + new TextDecoder().decode(piece)).slice(-20);
      passed.enqueue(piece);
    },
    flush() {
      if (!end.includes("[DONE]")) throw new BrokenOff("The answer broke off.");
    },
  });
  if (answer.status === 204 || !answer.body) return answer; // nothing is being written
  return new Response(answer.body.pipeThrough(whole), answer);
}

export function problem(error: Error): { code: string; detail: string } {
  if (error instanceof Refused) return { code: error.code, detail: error.message };
  if (error instanceof TypeError) return { code: "unreachable", detail: "The server cannot be reached." };
  if (error instanceof BrokenOff) return { code: "broken_off", detail: error.message };
  return { code: "model_failed", detail: error.message };
}

export function Conversation({ connection, session }: { connection: Connection; session: Session }) {
  const chat = useConversation(connection, session);
  const [text, setText] = useState("");

  function send(event: { preventDefault(): void }) {
    event.preventDefault();
    if (isAnswering(chat) || !text.trim()) return; // Enter comes here, too: what is typed stays until it can be sent
    void chat.sendMessage({ text });
    setText("");
  }

  return (
    <form onSubmit={send}>
      {chat.messages.map(({ id, parts, metadata }) => (
        <section key={id} style={{ display: "grid", whiteSpace: "pre-wrap" }}>
          {parts.map((part, place) => part.type === "text" && <p key={place}>{part.text}</p>)}
          {metadata?.memories_used?.map((used) => used.text && <small key={used.id}>Remembered: {used.text}</small>)}
          {metadata?.sources?.map((source) => <small key={source.article_id}>From: {source.title}</small>)}
        </section>
      ))}
      {chat.error && <p role="alert">{problem(chat.error).detail}</p>}
      {chat.error && <button type="button" onClick={chat.retry}>Try again</button>}
      <input value={text} onChange={(event) => setText(event.target.value)} />
      {isAnswering(chat) ? <button type="button" onClick={chat.stop}>Stop</button> : <button>Send</button>}
    </form>
  );
}

/** The session is read first: a chat takes its messages when it begins. */
export function Page({ connection }: { connection: Connection }) {
  const [session, setSession] = useState<Session>();
  const [error, setError] = useState<Error>();
  useEffect(() => void open(connection).then(setSession, setError), [connection]);
  if (error) return <p role="alert">{problem(error).detail}</p>;
  return session ? <Conversation key={session.id} connection={connection} session={session} /> : null;
}
