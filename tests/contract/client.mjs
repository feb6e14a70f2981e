// The chat that useChat is made of (the AI SDK's AbstractChat and DefaultChatTransport), without React around it.
// Reads one JSON line: {base, token, session, messages?, steps: [{do: "send", text, id?} | {do: "resume"} | ...]};
// writes one JSON line: what the chat holds after each step.
import { AbstractChat, DefaultChatTransport } from "ai";
import { createInterface } from "node:readline";

class PlainState {
  status = "ready";
  error = undefined;
  constructor(messages) { this.messages = messages; }
  pushMessage = (message) => { this.messages = [...this.messages, message]; };
  popMessage = () => { this.messages = this.messages.slice(0, -1); };
  replaceMessage = (index, message) => {
    this.messages = [...this.messages.slice(0, index), structuredClone(message), ...this.messages.slice(index + 1)];
  };
  snapshot = (value) => structuredClone(value);
}

class PlainChat extends AbstractChat {}

const [line] = await new Promise((resolve) => createInterface({ input: process.stdin }).once("line", (l) => resolve([l])));
const asked = JSON.parse(line);
const heard = { data: [], finishes: [] };
const chat = new PlainChat({
  id: asked.session,
  state: new PlainState(asked.messages ?? []),
  transport: new DefaultChatTransport({
    api: `${asked.base}/api/chat`,
    headers: { Authorization: `Bearer ${asked.token}` },
  }),
  onData: (part) => heard.data.push(part),
  onFinish: ({ isAbort, isDisconnect, isError }) => heard.finishes.push({ isAbort, isDisconnect, isError }),
});

async function stopOnTheServer() {
  const address = `${asked.base}/api/chat/${asked.session}/stop`;
  return (await fetch(address, { method: "POST", headers: { Authorization: `Bearer ${asked.token}` } })).status;
}

async function storedMessages() {
  const address = `${asked.base}/api/sessions/${asked.session}/messages`;
  return (await (await fetch(address, { headers: { Authorization: `Bearer ${asked.token}` } })).json()).messages;
}

async function untilText(length) {
  for (let i = 0; i < 600; i++) {
    const text = chat.messages.at(-1)?.parts?.filter((p) => p.type === "text").map((p) => p.text).join("") ?? "";
    if (chat.messages.at(-1)?.role === "assistant" && text.length >= length) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the text never came");
}

const results = [];
for (const step of asked.steps) {
  let note = null;
  if (step.do === "send") await chat.sendMessage({ id: step.id, role: "user", parts: [{ type: "text", text: step.text }] });
  if (step.do === "edit") await chat.sendMessage({ text: step.text, messageId: chat.messages[step.place].id });
  if (step.do === "regenerate") {
    await chat.regenerate("place" in step ? { messageId: chat.messages[step.place].id } : {});
  }
  if (step.do === "reload") chat.messages = await storedMessages();
  if (step.do === "resume") await chat.resumeStream();
  if (step.do === "send-and-stop") {
    const sending = chat.sendMessage({ role: "user", parts: [{ type: "text", text: step.text }] });
    await untilText(step.after);
    note = await stopOnTheServer();
    await sending;
  }
  if (step.do === "send-and-leave") {
    const sending = chat.sendMessage({ role: "user", parts: [{ type: "text", text: step.text }] });
    await untilText(step.after);
    await chat.stop(); // closes the socket, and nothing else
    await sending;
    chat.messages = chat.messages.filter((message) => message.role === "user");
  }
  results.push(structuredClone({
    status: chat.status,
    error: chat.error?.message ?? null,
    messages: chat.messages,
    data: heard.data.splice(0),
    finishes: heard.finishes.splice(0),
    note,
  }));
}
process.stdout.write(JSON.stringify(results) + "\n", () => process.exit(0));
