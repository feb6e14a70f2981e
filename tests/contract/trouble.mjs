// The page of docs/frontend.md where it goes wrong: large conversations, proxies, a server that is down, a hasty stop,
// other tabs, answers that break off, refusals.
// Reads one JSON line: {server, user}; writes one JSON line: what each step gave.
import { text } from "node:stream/consumers";
import { act } from "react-test-renderer";
import { hold, ours, until, wire } from "./driver.mjs";

const { server, user } = JSON.parse(await text(process.stdin));
const told = {};
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const asked = (path) => wire.sent.filter((each) => each.path === path);
const size = () => asked("/api/chat").at(-1).size;

/** The same, while requests to a path are answered otherwise. */
async function spoilt(path, answer, step) {
  const otherwise = wire.before;
  wire.before = async (at) => (at === path ? answer() : otherwise(at));
  try {
    return await step();
  } finally {
    wire.before = otherwise;
  }
}

const connection = ours.asDeveloper(server, user);
const down = () => { throw new TypeError("fetch failed"); };
const attempt = () => ours.open(connection).then(() => "open", (error) => ours.problem(error));
const no = { code: "forbidden", detail: "Not from there." };
told.down = await spoilt("/api/dev/token", down, attempt);
told.forbidden = await spoilt("/api/dev/token", () => Response.json(no, { status: 403 }), attempt);
told.up = await attempt();
const tokens = asked("/api/dev/token").length;
await attempt();
told.kept = asked("/api/dev/token").length - tokens;
const now = Date.now;
Date.now = () => now() + 86_400_000;
told.nextDay = await attempt();
told.renewed = asked("/api/dev/token").length - tokens;
Date.now = now;

const chat = await hold(connection);
await until(() => asked(`/api/chat/${chat.session.id}/stream`).at(-1)?.status === 204, "that nothing is being written");
told.begins = chat.now().status;
const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(300_000)]).toString("base64");
const files = [{ type: "file", mediaType: "image/png", url: `data:image/png;base64,${png}` }];
await chat.does((its) => its.sendMessage({ text: "tell me a story", files }, { body: { agent_id: "assistant" } }));
told.sizes = { picture: size() };
await chat.does((its) => its.sendMessage({ text: "and then?" }));
told.sizes.next = size();
await chat.does((its) => its.sendMessage({ text: "tell me a story", messageId: its.messages.at(-2).id }));
told.sizes.edit = size();
const before = chat.now().messages.at(-1).id;
await chat.does((its) => its.regenerate({ messageId: before }));
told.sizes.anew = size();
told.texts = chat.texts();
told.isAnother = chat.now().messages.at(-1).id !== before;
const stored = (await ours.history(connection, chat.session.id)).flatMap(({ parts }) => parts);
told.pictures = stored.filter(({ type }) => type === "file").length;

const headers = { "Content-Type": "text/html" };
const others = {
  page: () => new Response("<html>Bad Gateway</html>", { status: 502, headers }),
  pageAsSuccess: () => new Response("<html>Welcome</html>", { status: 200, headers }),
  json: () => Response.json({ message: "no" }, { status: 500 }),
  nothing: () => new Response("null", { status: 503 }),
  text: () => new Response("no healthy upstream", { status: 503 }),
};
told.others = {};
for (const [name, answer] of Object.entries(others)) {
  await spoilt("/api/chat", answer, () => chat.does((its) => its.sendMessage({ text: "hello" })));
  const called = await spoilt("/api/agents", answer, () => connection.call("GET", "/api/agents").catch(ours.problem));
  told.others[name] = [ours.problem(chat.now().error), called];
}

const stop = `/api/chat/${chat.session.id}/stop`;
const stops = asked(stop).length;
const isAsked = new Promise((resolve) => { wire.after = async (path) => path === stop && resolve(); });
await spoilt("/api/chat", () => isAsked, async () => {
  const sending = chat.now().sendMessage({ text: "slowly" });
  await until(() => chat.now().status === "submitted", "what was sent");
  await chat.does((its) => its.stop());
  await act(() => sending);
});
wire.after = async () => undefined;
told.stopped = { text: chat.texts().at(-1), tries: asked(stop).length - stops };

const other = await hold(connection); // a second tab of the same user
await other.does((its) => its.sendMessage({ text: "tell me a story" }));
await until(() => chat.texts().at(-1) === other.texts().at(-1), "what was said elsewhere");
told.elsewhere = chat.texts().slice(-2);

await spoilt("/api/events", down, async () => {
  const deaf = await hold(connection); // and a third, which does not hear of the others
  const sending = chat.now().sendMessage({ text: "slowly" });
  await until(() => chat.texts().at(-1).startsWith("word0 word1"), "the beginning");
  await deaf.does((its) => its.sendMessage({ text: "me too" }));
  told.meanwhile = { ...ours.problem(deaf.now().error), shown: deaf.texts().at(-1) };
  wire.endEarly();
  await act(() => sending);
  await until(() => chat.now().status === "ready", "the rest");
  told.rest = chat.texts().slice(-2);
  await deaf.does((its) => its.retry());
  await until(() => deaf.texts().at(-4) === "slowly", "what was said elsewhere");
  told.meToo = deaf.texts().slice(-4);
});

// Amid what was said elsewhere: nothing is being written any more, which is told late.
wire.before = async (at) => (at.endsWith("/stream") ? pause(300) : undefined);
await until(() => chat.texts().at(-1) === told.meToo.at(-1), "what was said elsewhere");
const refused = () => Response.json({ code: "rate_limited", detail: "Wait 12 s." }, { status: 429 });
await spoilt("/api/chat", refused, () => chat.does((its) => its.sendMessage({ text: "tell me a story" })));
told.refused = { ...ours.problem(chat.now().error), shown: chat.texts().at(-1) };
await pause(500); // whatever was asked for before the refusal has come
told.refused.stays = chat.now().error !== undefined;
wire.before = async () => undefined;
await chat.does((its) => its.retry());
told.taken = chat.texts().slice(-2);
const changes = {
  edit: (its) => its.edit(its.messages[0], "tell me another"),
  anew: (its) => its.regenerate({ messageId: its.messages[1].id }),
};
told.unchanged = {};
for (const [name, change] of Object.entries(changes)) {
  const shown = JSON.stringify(chat.now().messages);
  const isShown = () => JSON.stringify(chat.now().messages) === shown;
  let wasTaken;
  await spoilt("/api/chat", refused, () => chat.does(async (its) => { wasTaken = await change(its); }));
  told.unchanged[name] = { wasTaken, stays: isShown(), ...ours.problem(chat.now().error) };
  await chat.does((its) => its.retry());
  told.unchanged[name].afterwards = [chat.now().status, chat.texts().length > 4];
}
await chat.does(async (its) => { told.changed = await its.edit(its.messages[0], "tell me a story of two"); });
told.afterTheEdit = [chat.texts(), chat.now().messages[0].parts.filter(({ type }) => type === "file").length];

const form = new FormData();
form.append("file", new Blob(["The pump has a warranty of three years."]), "pump.txt");
told.uploaded = (await connection.call("POST", "/api/knowledge", form)).article.name;
const path = "/api/agents/assistant/notes";
const { version } = await connection.call("GET", path);
const written = () => connection.call("PUT", path, { notes: "Likes tea." }, { "If-Match": `"${version}"` });
told.notes = [(await written()).notes, (await written().catch(ours.problem)).code];

process.stdout.write(JSON.stringify(told) + "\n", () => process.exit(0));
