// The page of docs/frontend.md where things come in another order: what a tab is answered is kept back until something
// else has happened there, or in another tab.
// Reads one JSON line: {server, user}; writes one JSON line: what is shown in the end.
import { text } from "node:stream/consumers";
import { act } from "react-test-renderer";
import { hold, ours, until, wire } from "./driver.mjs";

const { server, user } = JSON.parse(await text(process.stdin));
const isHistory = (_, path) => path.endsWith("/messages");
const told = {};

/** Keeps back the next answer, or the request itself. */
function keep(object, name, isMeant = () => true, isUnasked = false) {
  const does = object[name].bind(object);
  const [asked, released, given] = [moment(), moment(), moment()];
  object[name] = async (...what) => {
    if (!isMeant(...what)) return does(...what);
    object[name] = does;
    const answer = isUnasked ? released.came.then(() => does(...what)) : does(...what);
    if (!isUnasked) await answer;
    asked.comes();
    await released.came;
    await answer;
    given.comes();
    return answer;
  };
  return { asked: asked.came, release: () => act(() => (released.comes(), given.came)) };
}

function moment() {
  let comes;
  const came = new Promise((resolve) => { comes = resolve; });
  return { came, comes };
}

/** What it shows, once that is so much; and what else it shows, if that never comes. */
function seen(tab) {
  const shows = (count) => until(() => tab.texts().length === count, "what was said").then(tab.texts, tab.texts);
  return { ...tab, shows };
}

/** A tab that has read the conversation, and once more when it was told that from there on it hears everything. */
async function open(connection = ours.asDeveloper(server, user)) {
  let looks = 0;
  const last = keep(connection, "call", (...what) => isHistory(...what) && ++looks === 2);
  const tab = await hold(connection);
  await last.asked;
  await last.release();
  return { ...seen(tab), connection, says: (words) => tab.does((its) => its.sendMessage({ text: words })) };
}

/** Tabs of a new session. */
async function tabs(count) {
  await ours.asDeveloper(server, user).call("POST", "/api/sessions", {});
  const opened = [];
  while (opened.length < count) opened.push(await open());
  return opened;
}

const begun = (tab) => until(() => tab.texts().at(-1)?.startsWith("word0 word1"), "the beginning");
const refusal = () => Response.json({ code: "rate_limited", detail: "Wait." }, { status: 429 });
const refuse = (path) => (path === "/api/chat" ? refusal() : undefined);

let [speaker, reader] = await tabs(2);
let kept = keep(reader.connection, "call", isHistory);
await speaker.says("tell me a story");
await kept.asked;
let asking = reader.now().sendMessage({ text: "slowly" });
await begun(reader);
await kept.release();
await act(() => asking);
told.askedWhileRead = await reader.shows(4);

for (const [name, isUnasked] of Object.entries({ toldWhileAnswered: false, helloWhileAnswered: true })) {
  [speaker] = await tabs(1);
  const connection = ours.asDeveloper(server, user);
  kept = keep(connection, "events", () => true, isUnasked);
  reader = seen(await hold(connection));
  await kept.asked;
  await speaker.says("tell me a story");
  asking = reader.now().sendMessage({ text: "slowly" });
  await begun(reader);
  await kept.release();
  await act(() => asking);
  told[name] = await reader.shows(4);
}

[speaker, reader] = await tabs(2);
await speaker.says("tell me a story");
await reader.shows(2);
kept = keep(reader.connection, "call", isHistory, true);
await speaker.says("and then?");
await kept.asked;
wire.before = refuse;
await reader.does((its) => its.edit(its.messages[0], "tell me another"));
await kept.release();
told.refusedWhileRead = reader.now().error?.message;
wire.before = async () => undefined;

[speaker] = await tabs(1);
const connection = ours.asDeveloper(server, user);
const first = keep(connection.transport, "reconnectToStream");
reader = seen(await hold(connection));
await first.asked;
const second = keep(connection.transport, "reconnectToStream");
asking = reader.now().sendMessage({ text: "tell me a story" });
const saying = speaker.now().sendMessage({ text: "slowly" });
await second.asked;
await first.release();
await second.release();
await act(() => Promise.all([asking, saying]));
told.sentWhileResumed = await reader.shows(4);

[speaker, reader] = await tabs(2);
const spoken = speaker.now().sendMessage({ text: "slowly" });
await begun(reader);
wire.before = refuse;
let wasTaken;
await reader.does(async (its) => { wasTaken = await its.edit(its.messages[0], "tell me another"); });
await act(() => spoken);
told.editedWhileResumed = [wasTaken, ...(await reader.shows(2))];
wire.before = async () => undefined;

[speaker] = await tabs(1);
const isStop = (_, path) => path.endsWith("/stop");
kept = keep(speaker.connection, "call", isStop);
const stopping = speaker.now().stop();
await kept.asked;
asking = speaker.now().sendMessage({ text: "slowly" });
await begun(speaker);
await kept.release();
await act(() => Promise.all([asking, stopping]));
told.askedWhileStopped = await speaker.shows(2);

[speaker] = await tabs(1);
asking = speaker.now().sendMessage({ text: "slowly" });
await begun(speaker);
wire.cutOff();
await act(() => asking);
const isOver = async () => (await ours.history(speaker.connection, speaker.session.id)).at(-1).role === "assistant";
await until(isOver, "the end of the answer");
await speaker.says("tell me a story");
await until(() => speaker.texts()[1].endsWith("word39"), "the rest").catch(() => undefined);
told.askedWhenCutOff = speaker.texts();

process.stdout.write(JSON.stringify(told) + "\n", () => process.exit(0));
