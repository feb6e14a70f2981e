// What drives the page of docs/frontend.md: it is compiled, and its requests pass here, to be seen or spoilt.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createElement } from "react";
import { act, create } from "react-test-renderer";
import ts from "typescript";

const options = { jsx: ts.JsxEmit.ReactJSX, module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
const compiled = new URL(`.frontend-${process.pid}.mjs`, import.meta.url);
const source = readFileSync("frontend.tsx", "utf8");
writeFileSync(compiled, ts.transpileModule(source, { compilerOptions: options }).outputText);
export const ours = await import(compiled).finally(() => rmSync(compiled));
globalThis.IS_REACT_ACT_ENVIRONMENT = true;

// Events come when they come. What React says of that, at each of them, would hide what went wrong.
const complain = console.error;
console.error = (first, ...rest) => String(first).includes("not wrapped in act(") || complain(first, ...rest);

export const wire = {
  sent: [], // of each request its path, how large it is, and the status of the answer
  before: async () => undefined, // may wait, fail, or answer in the server's place
  after: async () => undefined, // may keep the server's answer back
  cutOff: undefined, // the stream that is being read breaks off, as when a network goes away
  endEarly: undefined, // that of what was asked last just ends, as when the token expires
};
const reach = globalThis.fetch;
globalThis.fetch = async (url, asked) => {
  const path = new URL(url).pathname;
  const sent = { path, size: asked?.body?.length ?? 0, status: "none yet" };
  wire.sent.push(sent);
  const answer = (await wire.before(path)) ?? (await reach(url, asked));
  await wire.after(path);
  sent.status = answer.status;
  if (answer.status === 204) Object.defineProperty(answer, "body", { value: new Blob([]).stream() }); // as in Chromium
  if (!answer.headers.get("content-type")?.startsWith("text/event-stream")) return answer;
  if (path === "/api/events") return answer;
  const start = (line) => {
    wire.cutOff = () => line.error(new TypeError("network error"));
    if (path === "/api/chat") wire.endEarly = () => line.terminate();
  };
  return new Response(answer.body.pipeThrough(new TransformStream({ start })), answer);
};

export async function until(isTrue, what) {
  for (let i = 0; i < 600; i++) {
    if (await isTrue()) return;
    await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
  }
  throw new Error(`${what} never came`);
}

/** What there was when it went wrong; Node says what went wrong below it. */
export const shown = [];
process.on("uncaughtExceptionMonitor", () => {
  const sent = wire.sent.slice(-20).map(({ path, status }) => `${path}: ${status}`);
  complain("asked last:\n  " + sent.join("\n  "));
  for (const state of shown) complain("shown:", JSON.stringify(state()));
});
setTimeout(() => { throw new Error("not done after 200 s"); }, 200_000).unref();

/** The hook by itself, for what the page has no button for. */
export async function hold(connection) {
  const session = await ours.open(connection);
  let chat;
  const Held = () => void (chat = ours.useConversation(connection, session)) ?? null;
  await act(async () => { create(createElement(Held)); });
  const texts = () => chat.messages.flatMap((each) => each.parts.filter((p) => p.type === "text").map((p) => p.text));
  shown.push(() => ({ status: chat.status, error: chat.error?.message, texts: texts().slice(-4) }));
  return { session, texts, now: () => chat, does: (step) => act(async () => { await step(chat); }) };
}
