// What gets into a message by hand, and a chat whose token or whose line ends in the middle.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { violations } from "./axe.mjs";
import { answers, asked, composer, DARK, questions, say, settled, signIn, stopButton } from "./browser.mjs";
import { startProxy } from "./proxy.mjs";
import { until } from "./waiting.mjs";

async function signedIn({ open, user }, options) {
  const device = await open(options);
  const page = await device.newPage();
  await signIn(page, user);
  return { device, page };
}

const WORDS = Array.from({ length: 150 }, (_, i) => `word${i}`);
const said = async (page) => (await answers(page).last().innerText()).match(/word\d+/g);

// 1 x 1, red
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** A paste or a drop, as the browser tells of it when somebody does it. */
const give = (page, kind, name) =>
  composer(page).evaluate(
    (field, { kind, name, png }) => {
      const files = new DataTransfer();
      const bytes = Uint8Array.from(atob(png), (each) => each.charCodeAt(0));
      files.items.add(new File([bytes], name, { type: "image/png" }));
      const happen = (event) => field.dispatchEvent(event);
      const options = { bubbles: true, cancelable: true };
      if (kind === "paste") return happen(new ClipboardEvent("paste", { ...options, clipboardData: files }));
      happen(new DragEvent("dragover", { ...options, dataTransfer: files }));
      return happen(new DragEvent("drop", { ...options, dataTransfer: files }));
    },
    { kind, name, png: PNG },
  );

/** A token that the server itself has signed, and that ended an hour ago. */
function endedToken({ folder }, token) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = JSON.parse(Buffer.from(token.split(".")[1], "base64url"));
  const now = Math.floor(Date.now() / 1000);
  const body = `${part({ alg: "HS256", typ: "JWT" })}.${part({ ...claims, iat: now - 7200, exp: now - 3600 })}`;
  const key = readFileSync(join(folder, "data", "dev-signing-key"));
  return `${body}.${createHmac("sha256", key).update(body).digest("base64url")}`;
}

const keptSignIn = (page) => page.evaluate(() => JSON.parse(localStorage.getItem("chatSignIn")));
const keepSignIn = (page, kept) => page.evaluate((now) => localStorage.setItem("chatSignIn", JSON.stringify(now)), kept);

export const tests = {
  async "the sign-in and an empty chat are without fault in both themes"({ open, user }) {
    for (const options of [{ colorScheme: "light" }, DARK]) {
      const device = await open(options);
      const page = await device.newPage();
      await page.goto("/");
      await page.getByLabel("Your name").waitFor();
      assert.deepEqual(await violations(page), [], "sign-in");
      await signIn(page, user);
      await page.getByText("What is on your mind?").waitFor();
      assert.deepEqual(await violations(page), [], "empty chat");
    }
  },

  async "pictures are pasted and dropped, sent, and seen by both"(world) {
    const { page } = await signedIn(world);
    await give(page, "paste", "pasted.png");
    await page.getByRole("button", { name: "Remove pasted.png" }).waitFor();
    await give(page, "drop", "dropped.png");
    await page.getByRole("button", { name: "Remove dropped.png" }).waitFor();
    assert.equal(await composer(page).getAttribute("placeholder"), "Message assistant", "nothing hangs over it any more");
    await page.getByRole("button", { name: "Send" }).click();
    await settled(page);
    await page.reload();
    await questions(page).locator("img").nth(1).waitFor();
    const widths = await questions(page).locator("img").evaluateAll((all) => Promise.all(all.map((each) => each.decode().then(() => each.naturalWidth))));
    assert.deepEqual(widths, [1, 1]);
  },

  async "a token that ends in mid-chat is renewed, and neither the answer nor the next message notices"(world) {
    const line = await startProxy(world.server.address);
    try {
      const { device, page } = await signedIn(world, { baseURL: line.address });
      device.allow(/401|ERR_|Failed to load/);
      const refused = [];
      page.on("response", (response) => response.status() === 401 && refused.push(new URL(response.url()).pathname));
      await say(page, "slowly");
      await answers(page).getByText("word5").waitFor();
      const first = await keptSignIn(page);
      await keepSignIn(page, { ...first, token: endedToken(world.server, first.token) });
      line.cut(); // what is taken up again needs a token
      line.mend();
      await answers(page).getByText("word149").waitFor();
      await settled(page);
      assert.deepEqual(await said(page), WORDS);
      assert.ok(refused.some((path) => path.endsWith("/stream")), `the token was never refused: ${refused}`);
      const renewed = await keptSignIn(page);
      assert.equal(renewed.user.id, first.user.id);

      // Before it ends, as far as this browser knows: then it is renewed without being refused.
      refused.length = 0;
      await keepSignIn(page, { ...renewed, token: endedToken(world.server, first.token), expiresAt: Date.now() + 1_000 });
      await say(page, "say still here");
      await answers(page).getByText("still here").waitFor();
      await settled(page);
      assert.deepEqual(refused, []);
      assert.equal(await questions(page).count(), 2);
    } finally {
      line.end();
    }
  },

  async "an answer whose line is cut for good is whole once something else is asked"(world) {
    const line = await startProxy(world.server.address);
    try {
      const { device, page } = await signedIn(world, { baseURL: line.address });
      device.allow(/ERR_|Failed to load/);
      await say(page, "slowly");
      await answers(page).getByText("word5").waitFor();
      await page.route("**/api/chat/*/stream", (route) => route.fulfill({ status: 204 }));
      line.cut();
      line.mend();
      await page.getByRole("button", { name: "Try again" }).waitFor();
      assert.ok((await said(page)).length < WORDS.length, "it was whole: this has shown nothing");
      await page.unroute("**/api/chat/*/stream");
      const runs = async () => (await world.server.as(world.user, "GET", "/api/usage")).body.today.running_turns;
      await until(async () => (await runs()) === 0, "it is still written");
      await say(page, "say more");
      await answers(page).first().getByText("word149").waitFor();
      await settled(page);
      await asked(page, "slowly", "say more");
      assert.deepEqual((await answers(page).first().innerText()).match(/word\d+/g), WORDS);
    } finally {
      line.end();
    }
  },

  async "what is sent before another device's answer is heard stands below it at once, and is asked when that has ended"(world) {
    const { page: elsewhere } = await signedIn(world);
    await say(elsewhere, "hang");
    await stopButton(elsewhere).waitFor();
    const device = await world.open();
    const page = await device.newPage();
    let hear;
    await page.route("**/api/chat/*/stream", (route) => (hear = () => route.continue()), { times: 1 });
    await signIn(page, world.user);
    await until(() => hear !== undefined, "nothing was asked for");
    await say(page, "say mine");
    await questions(page).getByText("say mine").waitFor();
    await hear();
    await page.getByText("Sent when this answer is complete").waitFor();
    await asked(page, "hang", "say mine\n\nSent when this answer is complete");
    assert.equal(await questions(elsewhere).count(), 1);
    await stopButton(elsewhere).click();
    await answers(page).getByText("mine").waitFor();
    await settled(page);
    await asked(page, "hang", "say mine");
    await answers(elsewhere).getByText("mine").waitFor();
  },

  async "offline a message says so and waits; back online it is sent once"(world) {
    const { device, page } = await signedIn(world);
    device.allow(/ERR_|Failed to load/);
    await say(page, "say before");
    await settled(page);
    await device.context.setOffline(true);
    await say(page, "say after");
    await page.getByRole("alert").filter({ hasText: "The server cannot be reached" }).waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("alert").filter({ hasText: "The server cannot be reached" }).waitFor();
    await device.context.setOffline(false);
    await page.getByRole("button", { name: "Try again" }).click();
    await answers(page).getByText("after").waitFor();
    await settled(page);
    await page.reload();
    await answers(page).getByText("after").waitFor();
    await asked(page, "say before", "say after");
    const other = await (await world.open()).newPage();
    await signIn(other, world.user);
    await device.context.setOffline(true);
    await say(other, "say from elsewhere");
    await settled(other);
    await device.context.setOffline(false);
    await answers(page).getByText("from elsewhere").waitFor();
  },
};
