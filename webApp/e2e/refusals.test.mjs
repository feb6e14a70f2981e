// A server that refuses for a while, for real: 429 by a low limit, 503 while it ends.
import assert from "node:assert/strict";
import { violations } from "./axe.mjs";
import { answers, questions, say, settled, signIn } from "./browser.mjs";
import { script } from "./script.mjs";
import { startServer } from "./server.mjs";
import { wait } from "./waiting.mjs";

async function withServer(settings, use) {
  const server = await startServer(script, settings);
  try {
    await use(server);
  } finally {
    await server.end();
  }
}

async function signedIn({ open, user }, server) {
  const device = await open({ baseURL: server.address });
  device.allow(/429|503|ERR_|Failed to load/);
  const page = await device.newPage();
  await signIn(page, user);
  return page;
}

async function until(isSo, what) {
  const end = Date.now() + 30_000;
  while (!(await isSo())) {
    assert.ok(Date.now() < end, what);
    await wait(100);
  }
}

/** A turn of the same user in another session, which runs until it is stopped. */
async function hangElsewhere(server, user) {
  const session_id = crypto.randomUUID();
  const answer = server.as(user, "POST", "/api/chat", { message: "hang", session_id });
  await until(async () => (await server.as(user, "GET", `/api/sessions/${session_id}`)).status === 200, "it has begun");
  return async () => {
    await server.as(user, "POST", `/api/chat/${session_id}/stop`);
    await answer;
  };
}

/** Every text that the buttons of refusals ever had: a second is soon over. */
const watchRetries = (page) =>
  page.evaluate(() => {
    window.retries = [];
    const look = () => {
      const button = document.querySelector(".error-card button");
      const now = button && `${button.textContent}${button.disabled ? ", not yet" : ""}`;
      if (now && window.retries.at(-1) !== now) window.retries.push(now);
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  });
const retries = (page) => page.evaluate(() => window.retries);
const retry = (page) => page.getByRole("button", { name: "Try again", exact: true });

const LIMITS = { LIMIT_PARALLEL_TURNS: "1", LIMIT_TURNS_PER_MINUTE: "5" };

export const tests = {
  async "429: a message and an answer anew are taken once there is room, and nothing can be tried before"(world) {
    await withServer(LIMITS, async (server) => {
      await waitForRoom(world, server);
      await waitForTime({ ...world, user: `${world.user}-2` }, server);
    });
  },

  async "503: a server that ends says so, and takes the message once it is back"(world) {
    await withServer({ SHUTDOWN_GRACE_S: "10" }, async (server) => {
      const page = await signedIn(world, server);
      await watchRetries(page);
      await hangElsewhere(server, world.user);
      const ended = server.stop();
      await until(async () => (await fetch(`${server.address}/readyz`)).status === 503, "it ends");
      await say(page, "say hello");
      await page.getByRole("alert").filter({ hasText: "takes nothing new because it ends" }).waitFor();
      await retry(page).waitFor();
      const before = (await retries(page)).slice(0, -1);
      assert.ok(before.every((each) => /^Try again in [12] s, not yet$/.test(each)), before.join());
      await ended;
      await server.start();
      await retry(page).click();
      await answers(page).getByText("hello").waitFor();
      await settled(page);
      await page.reload();
      await answers(page).getByText("hello").waitFor();
      assert.equal(await questions(page).count(), 1);
    });
  },
};

async function waitForRoom(world, server) {
  const { user } = world;
  const page = await signedIn(world, server);
  const refusal = page.getByRole("alert").filter({ hasText: "being answered already" });
  let leave = await hangElsewhere(server, user);
  await say(page, "say hello");
  await refusal.waitFor();
  await leave();
  await retry(page).click();
  await answers(page).getByText("hello").waitFor();
  await settled(page);
  assert.equal(await refusal.count(), 0);
  assert.equal(await questions(page).count(), 1);

  leave = await hangElsewhere(server, user);
  await answers(page).last().getByRole("button", { name: "Answer again" }).click();
  await refusal.waitFor();
  await leave();
  await retry(page).click();
  await answers(page).getByText("hello").waitFor();
  await settled(page);
  const { sessions } = (await server.as(user, "GET", "/api/sessions?q=hello")).body;
  const { messages } = (await server.as(user, "GET", `/api/sessions/${sessions[0].session_id}/superseded`)).body;
  assert.equal(messages.length, 1, "the answer was made anew, not told again");
}

async function waitForTime(world, server) {
  const page = await signedIn(world, server);
  await watchRetries(page);
  const session_id = crypto.randomUUID(); // an answer in the page's own chat would take the refusal's place
  for (let sent = 0; sent < 5; sent++) await server.as(world.user, "POST", "/api/chat", { message: "say one", session_id });
  await say(page, "say two");
  await page.getByRole("alert").filter({ hasText: "You may send 5 messages a minute." }).waitFor();
  await until(async () => (await retries(page)).length > 2, "it counts");
  const seconds = (await retries(page)).map((each) => Number(/^Try again in (\d+) s, not yet$/.exec(each)[1]));
  assert.ok(seconds[0] <= 60 && seconds.at(-1) < seconds[0], seconds.join());
  assert.equal(await retry(page).count(), 0);
  assert.deepEqual(await violations(page), []);
  await page.screenshot({ path: new URL("refused.png", world.output).pathname });
}
