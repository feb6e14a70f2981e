// The page of docs/frontend.md in React, without a browser around it: frontend.tsx, as a person uses it.
// Reads one JSON line: {server, user} or {server, email, password}; writes one JSON line: what each step gave.
import { createClient } from "@supabase/supabase-js";
import { text } from "node:stream/consumers";
import { createElement } from "react";
import { act, create } from "react-test-renderer";
import { hold, ours, shown, until, wire } from "./driver.mjs";

/** The page as it is drawn, from a new load of it on. */
async function load(connection, sign = "input") {
  let root;
  await act(async () => { root = create(createElement(ours.Page, { connection })); });
  const drawn = (type) => root.root.findAllByType(type).map((each) => each.children.join(""));
  const drawsNow = () => ["p", "small", "button"].map(drawn);
  shown.push(drawsNow);
  await until(() => drawn(sign).length, "the page");
  return {
    drawn,
    typed: () => root.root.findByType("input").props.value,
    say: async (words) => {
      await act(async () => root.root.findByType("input").props.onChange({ target: { value: words } }));
      await act(async () => root.root.findByType("form").props.onSubmit({ preventDefault() {} }));
    },
    isReady: () => drawn("button").includes("Send"),
    isAnswering: () => drawn("button").includes("Stop") && drawn("p").at(-1)?.startsWith("word0 word1"),
    stop: () => act(async () => { await root.root.findByType("button").props.onClick(); }),
    leave: () => {
      shown.splice(shown.indexOf(drawsNow), 1);
      return act(async () => root.unmount());
    },
  };
}

const asked = JSON.parse(await text(process.stdin));
const told = {};

if (asked.email) {
  const supabase = createClient(asked.server, "any-key");
  await supabase.auth.signInWithPassword({ email: asked.email, password: asked.password });
  told.session = (await ours.open(ours.asSupabaseUser(asked.server, supabase))).id;
} else {
  const connection = ours.asDeveloper(asked.server, asked.user);

  let page = await load(connection);
  await page.say("I live in Lisbon.");
  await until(() => page.isReady() && page.drawn("p").length === 2, "an answer");
  told.first = page.drawn("p");
  const { id, messages } = await ours.open(connection);
  await until(async () => (told.learned = await ours.learned(connection, id, messages.at(-1))).length, "a memory");
  await page.leave();

  await connection.call("POST", "/api/sessions", {});
  page = await load(connection);
  await page.say("Where do I live?");
  await until(() => page.isReady() && page.drawn("small").length, "what was used");
  told.used = page.drawn("small");
  await page.leave();
  page = await load(connection);
  told.usedAfterwards = page.drawn("small");

  await page.say("slowly");
  await until(page.isAnswering, "the beginning");
  await page.leave();
  page = await load(connection);
  await until(page.isAnswering, "the rest");
  await until(page.isReady, "the end");
  told.resumed = page.drawn("p").slice(-2);
  await page.say("slowly again");
  await until(page.isAnswering, "the beginning");
  await page.say("and another thing");
  told.typed = page.typed();
  await page.stop();
  await until(page.isReady, "the end");
  told.stopped = page.drawn("p").at(-1);
  await page.leave();
  page = await load(ours.asDeveloper("http://127.0.0.1:1", "ada"), "p");
  told.unreachable = page.drawn("p");
  await page.leave();

  await connection.call("POST", "/api/sessions", {});
  const chat = await hold(connection);
  const sending = chat.now().sendMessage({ text: "slowly" });
  await until(() => chat.texts().at(-1)?.length > 20, "the beginning");
  wire.cutOff();
  await act(() => sending);
  told.cutOff = { status: chat.now().status, ...ours.problem(chat.now().error) };
  await chat.does((now) => now.retry());
  told.reconnected = chat.texts();
  await chat.does((now) => now.sendMessage({ text: "break", messageId: now.messages[0].id }));
  told.broken = { status: chat.now().status, ...ours.problem(chat.now().error) };
  await chat.does((now) => now.edit(now.messages[0], "tell me a story"));
  told.edited = chat.texts();
  const before = chat.now().messages.at(-1).id;
  await chat.does((now) => now.regenerate({ messageId: before }));
  told.anew = { texts: chat.texts(), isAnother: chat.now().messages.at(-1).id !== before };
  await chat.does((now) => now.sendMessage({ text: "   " }));
  told.refused = ours.problem(chat.now().error).detail;
}

process.stdout.write(JSON.stringify(told) + "\n", () => process.exit(0));
