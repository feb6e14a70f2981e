// The page of docs/frontend.md where something happens between two requests of it: the question was read, and when the
// rest of the answer is asked for, nothing is being written any more; or somebody says something before that is known.
// Reads one JSON line: {server, user}; writes one JSON line: what is shown in the end.
import { text } from "node:stream/consumers";
import { act } from "react-test-renderer";
import { hold, ours, until, wire } from "./driver.mjs";

const { server, user } = JSON.parse(await text(process.stdin));
const connection = ours.asDeveloper(server, user);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const isStream = (path) => path.endsWith("/stream");
const isHistory = (path) => path.endsWith("/messages");
const told = {};

/** The last two of what a chat shows, once a question has its answer; what it shows is told even if that never comes. */
async function end(chat, question = "slowly") {
  const isThere = ([asked, answer]) => asked === question && answer?.startsWith("word0");
  await until(() => isThere(chat.texts().slice(-2)), "the answer").catch(() => undefined);
  await until(() => chat.now().status === "ready", "the end of the answer");
  return chat.texts().slice(-2);
}

const speaker = await hold(connection);
const begins = () => until(() => speaker.now().status === "streaming", "the beginning");
let over = speaker.now().sendMessage({ text: "slowly" });
await begins();
wire.before = async (path) => void (isStream(path) || path === "/api/events" ? await over : undefined);
const opened = await hold(connection);
await act(() => over);
told.opened = await end(opened);

let readings = 0;
over = speaker.now().sendMessage({ text: "slowly, please" });
wire.before = async (path) => void (isStream(path) ? await over : undefined);
wire.after = async (path) => {
  if (!isHistory(path)) return;
  const wait = ++readings * 500; // the first has come before the second, which is asked for when the end is told
  await over;
  await pause(wait);
};
await act(() => over);
told.toldMeanwhile = await end(opened, "slowly, please");
wire.after = async () => undefined;

await connection.call("POST", "/api/sessions", {});
const alone = await hold(connection);
await until(() => wire.sent.findLast(({ path }) => isStream(path)).status === 204, "that nothing is being written");
const isOver = async () => (await ours.history(connection, alone.session.id)).at(-1).role === "assistant";
wire.before = async (path) => {
  if (!isStream(path)) return;
  while (!(await isOver())) await pause(50);
  await pause(500); // the end is told, too, while an error is shown
};
over = alone.now().sendMessage({ text: "slowly" });
await until(() => alone.texts().at(-1)?.startsWith("word0 word1"), "the beginning");
wire.endEarly();
await act(() => over);
await until(() => alone.texts().at(-1) === "slowly" || alone.texts().at(-1).endsWith("word39"), "what the server has");
told.brokenOff = await end(alone);

await connection.call("POST", "/api/sessions", {});
const late = { "/api/events": 600, "/api/chat": 900 };
wire.before = (path) => pause(isStream(path) ? 300 : (late[path] ?? 0));
const hasty = await hold(connection);
await hasty.does((its) => its.sendMessage({ text: "Good morning." }));
told.saidAtOnce = hasty.texts();

process.stdout.write(JSON.stringify(told) + "\n", () => process.exit(0));
