import { Chat, useChat } from "@ai-sdk/react";
import type { SupabaseClient } from "@supabase/supabase-js";
import { DefaultChatTransport, type UIMessage } from "ai";
import { useEffect, useState } from "react";

const JSON_BODY = { "Content-Type": "application/json" };

/** The server, as the user whose token it is; `token` is asked before each request. */
export function connect(server: string, token: () => Promise<string>) {
  const headers = async () => ({ Authorization: `Bearer ${await token()}` });

  async function call(method: string, path: string, body?: object) {
    const known = { method, headers: { ...(await headers()), ...JSON_BODY } };
    const answer = await ask(server + path, body ? { ...known, body: JSON.stringify(body) } : known);
    return answer.status === 204 ? null : answer.json();
  }

  const transport = new DefaultChatTransport<Message>({
    api: `${server}/api/chat`,
    headers,
    fetch: ask,
    prepareSendMessagesRequest: ({ id, trigger, messageId, messages, body }) => {
      const sent = messages.filter(({ role }) => role === "user").slice(-1);
      return { body: { ...body, id, trigger, messageId, messages: sent } };
    },
  });
  return { call, transport };
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

/** useChat with a stop that stops, and a way back after a broken connection. */
export function useConversation(connection: Connection, { id, messages }: Session) {
  const [chat] = useState(() => new Chat<Message>({ id, messages, transport: connection.transport }));
  return {
    ...useChat({ chat, resume: true }),
    stop: async () => {
      let tries = 20;
      do {
        if (await connection.call("POST", `/api/chat/${id}/stop`)) return;
        await new Promise((resolve) => setTimeout(resolve, 250)); // nothing runs: what was sent may not have begun
      } while (--tries && isAnswering(chat));
    },
    reconnect: async () => {
      chat.messages = await history(connection, id);
      await chat.resumeStream();
    },
  };
}

const isAnswering = ({ status }: { status: string }) => status === "submitted" || status === "streaming";

export type Message = UIMessage<{
  turn_id?: string;
  memories_used?: { id: string; what: "memory" | "message"; text?: string }[] | null;
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

export function problem(error: Error): { code: string; detail: string } {
  if (error instanceof Refused) return { code: error.code, detail: error.message };
  if (error instanceof TypeError) return { code: "unreachable", detail: "The server cannot be reached." };
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
        <section key={id}>
          {parts.map((part, place) => part.type === "text" && <p key={place}>{part.text}</p>)}
          {metadata?.memories_used?.map((used) => used.text && <small key={used.id}>Remembered: {used.text}</small>)}
          {metadata?.sources?.map((source) => <small key={source.article_id}>From: {source.title}</small>)}
        </section>
      ))}
      {chat.error && <p role="alert">{problem(chat.error).detail}</p>}
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
