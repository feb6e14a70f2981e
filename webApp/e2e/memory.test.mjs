// The pages where all that is remembered is seen and corrected.
import assert from "node:assert/strict";
import { violations } from "./axe.mjs";
import { DARK, PHONE, say, signedIn } from "./browser.mjs";
import { make, memories } from "./memories.mjs";
import { until } from "./waiting.mjs";

const XSS = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> [x](javascript:window.hacked=1)';

export const tests = {
  async "memories are searched, filtered, read with their history, edited, forgotten and brought back"(world) {
    const { device, page } = await signedIn(world);
    device.allow(/404/); // the page may hear that it is forgotten before it has the answer, and reads it once more
    await make(world, { text: "The cat is called Minka.", kind: "fact", tags: ["cat"] });
    await make(world, { text: "Deploy by pushing a tag.", kind: "procedure" });
    await page.goto("/memory");
    const rows = page.locator(".row-text");
    await rows.nth(1).waitFor();
    await page.getByLabel("Kind").selectOption("procedure");
    await until(async () => (await rows.count()) === 1, "one is left");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByLabel("Search memories").fill("minka");
    await page.getByText(/^\d+ found/).waitFor();
    await rows.first().getByText("Minka").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Remembered by you").waitFor();
    await dialog.getByText("You added it yourself").waitFor();
    await dialog.getByRole("button", { name: "Edit" }).click();
    await dialog.getByLabel("Text").fill("The cat is called Mimi.");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Edited by you").waitFor();
    assert.deepEqual(await violations(page), []);
    await dialog.getByRole("button", { name: "Undo the last change" }).click();
    await dialog.getByText("The cat is called Minka.").waitFor();
    await dialog.getByRole("button", { name: "Forget" }).click();
    await page.getByText("Forgotten.", { exact: true }).waitFor();
    assert.equal((await memories(world)).length, 1);
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await until(async () => (await memories(world)).length === 2, "it is back");
  },

  async "an undo that changes other memories asks first, and what was corrected says so"(world) {
    const { page } = await signedIn(world);
    const told = async (message, count) => {
      await world.server.as(world.user, "POST", "/api/chat", { message, session_id: crypto.randomUUID() });
      await until(async () => (await memories(world, "&superseded=true")).length === count, "it is learned");
    };
    await told("I live in Hamburg.", 1);
    await told("I live in Bremen.", 2);
    const [bremen] = await memories(world);
    await page.goto(`/memory?id=${bremen.id}`);
    const dialog = page.getByRole("dialog");
    await dialog.getByText("“Undo remembering” takes away this entry alone").waitFor();
    await page.screenshot({ path: new URL("undo-or-forget.png", world.output).pathname });
    await dialog.getByRole("button", { name: "Undo remembering" }).click();
    await dialog.getByText("Answers may still find the messages that said it.").waitFor();
    await dialog.getByText("What it took the place of holds again:").waitFor();
    await dialog.getByText("The user lives in Hamburg.").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.screenshot({ path: new URL("undo-asked.png", world.output).pathname });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.equal((await memories(world))[0].text, "The user lives in Bremen.");
    await dialog.getByRole("button", { name: "Edit" }).click();
    await dialog.getByLabel("Text").fill("The user lives in Graz.");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText(/You corrected it yourself/).waitFor();
    await page.screenshot({ path: new URL("corrected.png", world.output).pathname });
    await dialog.getByRole("button", { name: "Undo the last change" }).click();
    await dialog.getByText("It was first known from this").waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Undo remembering" }).click();
    await dialog.getByRole("button", { name: "Undo", exact: true }).click();
    await until(async () => (await memories(world))[0]?.text === "The user lives in Hamburg.", "it holds again");
  },

  async "what is remembered is read as text, each line for itself"(world) {
    const { page } = await signedIn(world);
    await make(world, { text: "# Deploy\n\n- push a **tag**\n- wait for `green`" });
    await page.goto("/memory");
    const row = page.locator(".row-text").first();
    await row.waitFor();
    assert.deepEqual((await row.innerText()).split("\n"), ["Deploy", "• push a tag", "• wait for green"]);
    await row.click();
    await page.getByRole("dialog").getByText("push a tag").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Edit" }).click();
    assert.match(await page.getByRole("dialog").getByLabel("Text").inputValue(), /\*\*tag\*\*/); // as it is, to be changed
  },

  async "a picture of many names always names those with the most lines, and the others where the pointer is"(world) {
    const { page } = await signedIn(world);
    const know = (subject, object) => make(world, { text: `${subject} knows ${object}.`, triple: { subject, predicate: "knows", object } });
    for (let i = 0; i < 16; i++) for (let j = 0; j < 4; j++) await know(`Friend ${i}`, `Person ${i} ${j}`);
    await page.goto("/graph");
    await page.locator(".graph-node").first().waitFor();
    const smaller = page.getByRole("button", { name: "Zoom out" });
    await smaller.click();
    const named = page.locator(".graph-node text:visible");
    assert.deepEqual((await named.allTextContents()).map((each) => each.slice(0, 6)), new Array(14).fill("Friend"));
    await page.screenshot({ path: new URL("graph-small.png", world.output).pathname });
    const other = page.locator(".graph-node", { hasText: "Person 3 1" });
    assert.equal(await other.locator("text").isVisible(), false);
    await other.locator("circle").hover({ force: true });
    await other.locator("text").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await page.screenshot({ path: new URL("graph-all.png", world.output).pathname });
  },

  async "what was said again in another chat is shown where it was said first, and nothing is called gone"(world) {
    const { device, page } = await signedIn(world);
    device.allow(/404/);
    for (const session_id of [crypto.randomUUID(), crypto.randomUUID()]) {
      await world.server.as(world.user, "POST", "/api/chat", { message: "I live in Lisbon.", session_id });
      await until(async () => (await memories(world)).length === 1, "it is learned");
    }
    const [{ id }] = await memories(world);
    const sources = async () => (await world.server.as(world.user, "GET", `/api/memories/${id}`)).body.source.message_ids.length;
    await until(async () => (await sources()) === 2, "it was said again");
    const elsewhere = page.waitForResponse((each) => each.status() === 404 && each.url().includes("/messages/"));
    await page.goto(`/memory?id=${id}`);
    await elsewhere;
    await page.getByRole("dialog").getByText("I live in Lisbon.", { exact: true }).waitFor();
    await page.getByRole("dialog").getByText("Said again by rules").waitFor();
    assert.equal(await page.getByText("is gone").count(), 0);
  },

  async "a long list is in pages, never all of it at once"(world) {
    const { page } = await signedIn(world);
    for (let i = 0; i < 30; i++) await make(world, { text: `Thing number ${i} is kept in box ${i * 7}.` });
    await page.goto("/memory");
    const rows = page.locator(".row");
    await page.getByRole("button", { name: "Older" }).click();
    await page.getByText("Page 2").waitFor();
    await until(async () => (await rows.count()) === 5, "the rest");
    await page.getByRole("button", { name: "Newer" }).click();
    await until(async () => (await rows.count()) === 25, "the first page");
  },

  async "a memory is added by hand, and known ones are not doubled"(world) {
    const { page } = await signedIn(world);
    await page.goto("/memory");
    await page.getByText("Nothing is remembered yet").waitFor();
    await page.getByRole("button", { name: "Add a memory" }).click();
    const add = async () => {
      await page.getByRole("textbox", { name: "Text" }).fill("Lunch is at noon.");
      await page.getByRole("button", { name: "Save" }).click();
    };
    await add();
    await page.locator(".row-text").getByText("Lunch is at noon.").waitFor();
    await page.getByRole("button", { name: "Add a memory" }).click();
    await add();
    await page.getByText("This is remembered already.").waitFor();
    assert.equal((await memories(world)).length, 1);
  },

  async "the report names what contradicts, and one of both can be forgotten"(world) {
    const { page } = await signedIn(world);
    for (const place of ["Rome", "Berlin"]) {
      await make(world, { text: `Mary lives in ${place}.`, triple: { subject: "Mary", predicate: "lives in", object: place } });
    }
    await page.goto("/memory?view=audit");
    await page.getByRole("heading", { name: /Contradict each other/ }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.getByRole("button", { name: "Forget: Mary lives in Rome." }).click();
    await page.getByText("All is in order").waitFor();
  },

  async "nothing that is remembered or noted is ever run"(world) {
    const { page } = await signedIn(world);
    const text = `${XSS} is what the form was sent.`;
    await make(world, { text, tags: [XSS.slice(0, 60)], triple: { subject: XSS, predicate: XSS, object: "y" } });
    const made = () => [window.hacked ?? "nothing", document.querySelectorAll("img[src=x]").length];
    const isText = async (where) => assert.deepEqual(await page.evaluate(made), ["nothing", 0], where);
    for (const path of ["/memory", "/memory?view=audit", "/graph"]) {
      await page.goto(path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.locator(".waiting").first().waitFor({ state: "detached" });
      if (path === "/graph") await page.getByRole("button", { name: "List" }).click();
      await isText(path);
    }
    await page.goto("/memory");
    await page.locator(".row-text").first().click();
    await page.getByRole("dialog").getByText("You added it yourself").waitFor();
    await isText("a memory");
  },

  async "what was learned and the graph can be read on a phone, however long the words are"(world) {
    const { page } = await signedIn(world, PHONE);
    await say(page, "My sister Mary lives in Porto. My brother Maximilian works at the Norwegian Polar Institute in Tromso.");
    const line = page.locator(".answer-memory-head .one-line", { hasText: "Remembered" });
    await line.waitFor();
    const shown = await line.evaluate((each) => ({ right: each.getBoundingClientRect().right, isShortened: each.scrollWidth > each.clientWidth }));
    assert.ok(shown.right <= PHONE.viewport.width && shown.isShortened, JSON.stringify(shown));
    await page.goto("/graph");
    await page.locator(".graph-node text").nth(4).waitFor();
    const frame = await page.locator(".graph-frame").boundingBox();
    for (const text of await page.locator(".graph-node text").all()) {
      const { x, width } = await text.boundingBox();
      assert.ok(x >= frame.x && x + width <= frame.x + frame.width, `${await text.textContent()} is cut`);
    }
  },

  async "on a phone no words of the graph lie under others, nor under the buttons"(world) {
    const { page } = await signedIn(world, PHONE);
    const told = [
      "I live in Bergen. I work as a nurse. My daughter is called Ida. My husband Jonas works at Equinor. I am allergic to penicillin. I have a cat called Minka.",
      "My sister Mary lives in Porto. My brother Maximilian works at the Norwegian Polar Institute.",
    ];
    for (const [place, sentences] of told.entries()) {
      await say(page, sentences);
      await until(async () => (await memories(world)).length === [7, 11][place], "it is learned");
      await page.goto("/graph");
      await page.locator(".graph-node text").nth([7, 10][place]).waitFor();
      await page.screenshot({ path: new URL(`graph-phone-${place}.png`, world.output).pathname });
      const boxes = await page.locator(".graph text:visible, .graph-buttons button").evaluateAll((all) =>
        all.map((each) => {
          const letters = document.createRange(); // without the halo around them
          letters.selectNodeContents(each);
          const { left, right, top, bottom } = (each.matches("text") ? letters : each).getBoundingClientRect();
          return { left, right, top, bottom, text: each.textContent };
        }),
      );
      const isOver = (one, other) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
      const over = boxes.flatMap((one, i) => boxes.slice(i + 1).filter((other) => isOver(one, other)).map((other) => `${one.text} / ${other.text}`));
      assert.deepEqual(over, []);
      await page.goto("/");
      await page.getByRole("button", { name: "Send" }).waitFor();
    }
  },

  async "every page of memory is without fault in the dark and on a phone"(world) {
    await make(world, { text: "Mary lives in Rome.", tags: ["family"], triple: { subject: "Mary", predicate: "lives in", object: "Rome" } });
    for (const options of [DARK, { ...PHONE, colorScheme: "light" }]) {
      const { page } = await signedIn(world, options);
      for (const path of ["/memory", "/notes", "/graph", "/account"]) {
        await page.goto(path);
        await page.locator(".row, .notes-text, .graph-node, .account-part").first().waitFor();
        assert.deepEqual(await violations(page), [], path);
        const isWider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        assert.equal(isWider, false, `${path} is wider than the screen`);
      }
    }
  },
};
