// What else can be done with a conversation, and what happens when something is in the way.
import assert from "node:assert/strict";
import { answers, asked, composer, DARK, PHONE, questions, say, settled, signedIn } from "./browser.mjs";
import { violations } from "./axe.mjs";
import { startProxy } from "./proxy.mjs";
import { until } from "./waiting.mjs";

// 1 x 1, red
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
  "base64",
);

export const tests = {
  async "an edit takes the place of what followed"(world) {
    const { page } = await signedIn(world);
    await say(page, "say one");
    await settled(page);
    await say(page, "say two");
    await answers(page).getByText("two").waitFor();
    await settled(page);
    await questions(page).first().hover();
    await questions(page).first().getByRole("button", { name: "Edit" }).click();
    await page.getByText("What follows will be replaced by the new answer.").waitFor();
    await page.getByRole("textbox", { name: "Edit" }).fill("say three");
    await page.getByRole("button", { name: "Send again" }).click();
    await answers(page).getByText("three").waitFor();
    await settled(page);
    assert.equal(await questions(page).count(), 1);
    await page.reload();
    await answers(page).getByText("three").waitFor();
    await asked(page, "say three");
  },

  async "an answer anew takes the place of the old one"(world) {
    const { page } = await signedIn(world);
    await say(page, "say hello");
    await settled(page);
    const { body } = await sessions(world);
    await answers(page).last().getByRole("button", { name: "Answer again" }).click();
    await settled(page);
    await answers(page).getByText("hello").waitFor();
    const gone = await world.server.as(world.user, "GET", `/api/sessions/${body.sessions[0].session_id}/superseded`);
    assert.equal(gone.body.messages.length, 1);
    assert.equal(await answers(page).count(), 1);
  },

  async "an answer that fails says so, and trying again asks anew"(world) {
    const { page } = await signedIn(world);
    await say(page, "break it");
    await page.getByRole("alert").waitFor();
    const first = await sessions(world);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("alert").waitFor();
    assert.equal(await questions(page).count(), 1);
    assert.equal((await sessions(world)).body.sessions.length, first.body.sessions.length);
  },

  async "a message that the server could not take is sent again under the same id"(world) {
    const { device, page } = await signedIn(world);
    device.allow(/503|Failed to load resource/);
    const problem = { code: "overloaded", detail: "Too much at once. Try again.", status: 503 };
    const ids = [];
    await page.route("**/api/chat", async (route) => {
      ids.push(JSON.parse(route.request().postData()).message.id);
      if (ids.length > 1) return route.continue();
      await route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify(problem) });
    });
    await say(page, "say again");
    await page.getByRole("alert").filter({ hasText: problem.detail }).waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await answers(page).getByText("again").waitFor();
    assert.equal(ids.length, 2);
    assert.equal(ids[0], ids[1]);
    assert.equal(await page.getByRole("alert").count(), 0);
  },

  async "a connection that breaks in mid-answer is taken up again: nothing lost, nothing twice"(world) {
    const line = await startProxy(world.server.address);
    try {
      const { device, page } = await signedIn(world, { baseURL: line.address });
      device.allow(/ERR_|Failed to load/);
      const resumed = [];
      page.on("request", (request) => {
        if (request.url().endsWith("/stream") && request.headers()["last-event-id"]) resumed.push(request.url());
      });
      await say(page, "slowly");
      await answers(page).getByText("word5").waitFor();
      line.cut();
      await until(() => resumed.length > 0, "the connection never broke: this has shown nothing");
      line.mend();
      await answers(page).getByText("word149").waitFor();
      await settled(page);
      const words = (await answers(page).last().innerText()).match(/word\d+/g);
      assert.deepEqual(words, Array.from({ length: 150 }, (_, i) => `word${i}`));
    } finally {
      line.end();
    }
  },

  async "pictures can be attached, taken away, sent and seen after a reload"(world) {
    const { page } = await signedIn(world);
    const chooser = page.locator("input[type=file]");
    const file = (name) => ({ name, mimeType: "image/png", buffer: PNG });
    await chooser.setInputFiles([file("one.png"), file("two.png")]);
    await page.getByRole("button", { name: "Remove one.png" }).click();
    await chooser.setInputFiles([{ name: "x.txt", mimeType: "text/plain", buffer: Buffer.from("x") }]);
    await page.getByText("x.txt is no PNG").waitFor();
    await say(page, "look at this");
    await settled(page);
    assert.equal(await questions(page).locator("img").count(), 1);
    await page.reload();
    await questions(page).getByRole("img", { name: "two.png" }).waitFor();
  },

  async "pictures that are not sent yet outlive a reload, and neither their sending nor a sign-out"(world) {
    const { page } = await signedIn(world);
    const attach = (name) => page.locator("input[type=file]").setInputFiles({ name, mimeType: "image/png", buffer: PNG });
    const attached = (name) => page.getByRole("button", { name: `Remove ${name}` });
    const kept = () =>
      page.evaluate(async () => {
        const done = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
        const database = await done(indexedDB.open("chatLarge"));
        const keys = await done(database.transaction("chatLarge").objectStore("chatLarge").getAllKeys());
        database.close();
        return keys.length;
      });
    await attach("one.png");
    await attached("one.png").waitFor();
    await until(async () => (await kept()) === 1, "it is not kept");
    await page.reload();
    await attached("one.png").waitFor();
    await say(page, "look at this");
    await settled(page);
    await questions(page).getByRole("img", { name: "one.png" }).waitFor();
    await until(async () => (await kept()) === 0, "what was sent is still kept");
    await page.reload();
    await questions(page).getByRole("img", { name: "one.png" }).waitFor();
    assert.equal(await attached("one.png").count(), 0);
    await attach("two.png");
    await until(async () => (await kept()) === 1, "it is not kept");
    await page.goto("/account");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await until(async () => (await kept()) === 0, "what was attached outlives a sign-out");
  },

  async "a tool call is folded, and opens"(world) {
    const { page } = await signedIn(world);
    await say(page, "remember that I like tea");
    await answers(page).getByText("Noted.").waitFor();
    const folded = page.locator("details.tool").first();
    assert.equal(await folded.evaluate((each) => each.open), false);
    await folded.locator("> summary").click();
    assert.equal(await folded.getByText("append").isVisible(), false);
    await folded.getByText("Details").click();
    await folded.getByText("append").waitFor();
  },

  async "another agent has a conversation of its own, and the first is there again"(world) {
    const { page } = await signedIn(world);
    await say(page, "say first");
    await settled(page);
    const picker = page.getByLabel("Agent");
    const names = await picker.locator("option").allInnerTexts();
    const other = names.find((name) => name !== "assistant");
    await picker.selectOption(other);
    await page.getByText("What is on your mind?").waitFor();
    await page.getByLabel("Agent").selectOption("assistant");
    await answers(page).getByText("first").waitFor();
  },

  async "signing out leaves nothing in the browser"(world) {
    const { page } = await signedIn(world);
    await say(page, "say secret");
    await settled(page);
    await composer(page).fill("a draft");
    await page.goto("/account");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Your name").waitFor();
    assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0);
    assert.ok(!(await page.content()).includes("secret"));
  },

  async "a conversation that cannot be opened offers to try again"(world) {
    const { device, page } = await signedIn(world);
    device.allow(/Failed to load resource/);
    const named = page.url();
    const id = new URL(named).searchParams.get("chat");
    for (const [address, asked] of [[named, id], ["/", "resolve"]]) {
      let isDown = true; // also for what the page of before asks meanwhile
      await page.route(`**/api/sessions/${asked}`, (route) => (isDown ? route.abort() : route.continue()));
      await page.goto(address);
      await page.getByRole("alert").waitFor();
      isDown = false;
      await page.getByRole("button", { name: "Try again" }).click();
      await composer(page).waitFor();
      assert.equal(page.url(), named);
    }
  },

  async "what is said in passing stands above where one writes"(world) {
    for (const options of [PHONE, {}]) {
      const { page } = await signedIn(world, options);
      for (const draft of ["", "one\ntwo\nthree\nfour"]) {
        await composer(page).fill(draft);
        await page.locator("input[type=file]").setInputFiles([{ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("x") }]);
        const toast = page.locator(".toast").first();
        await toast.waitFor();
        await toast.evaluate((each) => Promise.all(each.getAnimations().map(({ finished }) => finished)));
        const [over, below] = [await toast.boundingBox(), await page.locator(".composer").boundingBox()];
        assert.ok(over.y + over.height <= below.y, `${over.y + over.height} is below ${below.y}`);
        if (draft) await page.screenshot({ path: new URL(`toast-${options === PHONE ? "phone" : "desktop"}.png`, world.output).pathname });
        await toast.getByRole("button", { name: "Dismiss" }).click();
        await toast.waitFor({ state: "detached" });
      }
    }
  },

  async "an address that is none says so on a page, and leads back"(world) {
    const { device, page } = await signedIn(world);
    device.allow(/404/);
    assert.equal((await page.goto("/nowhere/at/all")).status(), 404);
    await page.getByRole("heading", { level: 1, name: "There is no such page." }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.emulateMedia(DARK);
    assert.deepEqual(await violations(page), []);
    await page.screenshot({ path: new URL("nowhere.png", world.output).pathname });
    await page.getByRole("link", { name: "Back to the chat" }).click();
    await composer(page).waitFor();
  },

  async "on a phone nothing is wider than the screen, and the menu opens"(world) {
    const { page } = await signedIn(world, PHONE);
    await say(page, "write well");
    await settled(page);
    await page.getByRole("table").waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: "Memory" }).click();
    await page.getByRole("heading", { name: "Memory" }).waitFor();
  },
};

const sessions = ({ server, user }) => server.as(user, "GET", "/api/sessions");
