// The list of conversations, and what tabs and devices hear of each other.
import assert from "node:assert/strict";
import { answers, composer, DARK, PHONE, questions, say, settled, signedIn } from "./browser.mjs";
import { violations } from "./axe.mjs";
import { choose, listed, make, row, rows } from "./list.mjs";
import { until } from "./waiting.mjs";

/** How often a page has asked for events. */
function streamsOf(page) {
  const asked = [];
  page.on("request", (request) => request.url().endsWith("/api/events") && asked.push(request.headers()["last-event-id"] ?? null));
  return asked;
}

export const tests = {
  async "what happens elsewhere is listed at once, through one connection for all tabs"(world) {
    const { device, page } = await signedIn(world);
    const second = await device.newPage();
    const asked = streamsOf(second);
    await second.goto("/usage");
    await second.getByRole("heading", { name: "Usage" }).waitFor();
    await make(world, "From a telephone");
    for (const tab of [page, second]) await row(tab, "From a telephone").waitFor();
    assert.deepEqual(asked, []);
    await page.close();
    await until(() => asked.length === 1, "the second tab did not take over");
    assert.match(asked[0], /^\d+$/);
    await make(world, "After the first tab");
    await row(second, "After the first tab").waitFor();
  },

  async "what was missed without a network is listed when it is back"(world) {
    const { device, page } = await signedIn(world);
    device.allow(/ERR_|Failed to load/);
    await make(world, "Before");
    await row(page, "Before").waitFor();
    await device.context.setOffline(true);
    await make(world, "Meanwhile");
    await page.waitForTimeout(1_500);
    await device.context.setOffline(false);
    await row(page, "Meanwhile").waitFor();
    await make(world, "Afterwards");
    await row(page, "Afterwards").waitFor();
  },

  async "two tabs and a second device show the same conversation"(world) {
    const { device, page } = await signedIn(world);
    await say(page, "say one");
    await answers(page).getByText("one").waitFor();
    await settled(page);
    const second = await device.newPage();
    await second.goto("/");
    await answers(second).getByText("one").waitFor();
    const { page: elsewhere } = await signedIn(world);
    await answers(elsewhere).getByText("one").waitFor();
    await composer(second).fill("a draft");
    await say(page, "slowly");
    for (const tab of [second, elsewhere]) await answers(tab).getByText("word20").waitFor();
    for (const tab of [page, second, elsewhere]) {
      await answers(tab).getByText("word149").waitFor();
      const words = (await answers(tab).last().innerText()).match(/word\d+/g);
      assert.deepEqual(words, Array.from({ length: 150 }, (_, i) => `word${i}`));
      assert.equal(await questions(tab).count(), 2);
    }
    assert.equal(await composer(second).inputValue(), "a draft");
  },

  async "each tab keeps its chat over a reload, and Back and Forward go between chats"(world) {
    const { device, page } = await signedIn(world);
    await say(page, "say apples");
    await answers(page).getByText("apples").waitFor();
    await settled(page);
    const second = await device.newPage();
    await second.goto("/");
    await answers(second).getByText("apples").waitFor();
    await second.getByRole("button", { name: "New chat" }).first().click();
    await second.getByText("What is on your mind?").waitFor();
    await say(second, "say pears");
    await answers(second).getByText("pears").waitFor();
    await settled(second);
    await page.reload();
    await answers(page).getByText("apples").waitFor();
    await second.reload();
    await answers(second).getByText("pears").waitFor();

    await row(second, "apples").click();
    await answers(second).getByText("apples").waitFor();
    await second.locator(".layout > .sidebar").getByRole("link", { name: "Memory" }).click();
    await second.getByRole("heading", { level: 1, name: "Memory" }).waitFor();
    await row(second, "pears").click();
    await answers(second).getByText("pears").waitFor();
    await until(async () => (await second.title()).includes("pears"), "the tab is not called by its chat");
    await second.goBack();
    await second.getByRole("heading", { level: 1, name: "Memory" }).waitFor();
    for (const [way, said] of [["goBack", "apples"], ["goBack", "pears"], ["goBack", "apples"], ["goForward", "pears"]]) {
      await second[way]();
      await answers(second).getByText(said).waitFor();
      assert.equal(await answers(second).count(), 1);
    }
  },

  async "the address of a chat that is gone or somebody else's shows one's own, and stays with nobody"(world) {
    const { body: foreign } = await world.server.as(`${world.user}-other`, "POST", "/api/sessions", { title: "Not yours" });
    const { device, page } = await signedIn(world);
    device.allow(/404|422/);
    await say(page, "say mine");
    await answers(page).getByText("mine").waitFor();
    await settled(page);
    const mine = page.url();
    for (const id of [foreign.session_id, "00000000-0000-4000-8000-000000000000", "%00", ".", "..", "x".repeat(3_000)]) {
      await page.goto(`/?chat=${id}`);
      await answers(page).getByText("mine").waitFor();
      await until(() => page.url() === mine, `the address is still ${page.url().slice(0, 80)}`);
    }
    const { body: old } = await make(world, "Put away");
    await world.server.as(world.user, "PATCH", `/api/sessions/${old.session_id}`, { archived: true });
    await page.goto(`/?chat=${old.session_id}`); // archived, but there
    await page.getByRole("heading", { level: 1, name: "Put away" }).waitFor();
    await world.server.as(world.user, "DELETE", `/api/sessions/${old.session_id}`);
    await until(() => !page.url().includes(old.session_id), "the address of a deleted chat is still there");
  },

  async "an answer that is finished while another tab reads the question is seen there"(world) {
    const { device, page } = await signedIn(world);
    await say(page, "say number 0.");
    await answers(page).getByText("number 0.").waitFor();
    const second = await device.newPage();
    await second.goto("/");
    await answers(second).getByText("number 0.").waitFor();
    let isAnswered;
    await second.route("**/messages?*", async (route) => {
      const response = await route.fetch();
      await isAnswered;
      await route.fulfill({ response });
    });
    for (const number of [1, 2, 3]) {
      await settled(page);
      let tell;
      isAnswered = new Promise((resolve) => (tell = resolve));
      await say(page, `say number ${number}.`);
      await answers(page).getByText(`number ${number}.`).waitFor();
      await settled(page);
      tell();
      await answers(second).getByText(`number ${number}.`).waitFor({ timeout: 15_000 });
    }
    assert.equal(await questions(second).count(), 4);
  },

  async "a title comes by itself, is changed in place, and words are found in what was said"(world) {
    const { page } = await signedIn(world);
    await say(page, "say volcanoes of Iceland");
    await settled(page);
    await row(page, "volcanoes").waitFor();
    await make(world, "Something else");
    await row(page, "Something else").waitFor();
    await row(page, "volcanoes").focus();
    await page.keyboard.press("F2");
    await page.getByLabel("New title").fill("Journey");
    await page.keyboard.press("Enter");
    await row(page, "Journey").waitFor();
    await until(async () => (await listed(world)).some(({ title }) => title === "Journey"), "not renamed");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("icel");
    await row(page, "Something else").waitFor({ state: "detached" });
    assert.deepEqual(await rows(page).allInnerTexts(), ["Journey\nvolcanoes of Iceland"]);
    await page.keyboard.press("Escape");
    await row(page, "Something else").waitFor();
  },

  async "archived conversations have a list of their own, private ones say so"(world) {
    const { page } = await signedIn(world);
    await make(world, "Old things");
    await row(page, "Old things").waitFor();
    await choose(page, "Old things", "Archive");
    await row(page, "Old things").waitFor({ state: "detached" });
    const sidebar = page.locator(".layout > .sidebar");
    await sidebar.getByRole("button", { name: "Archived conversations" }).click();
    await row(page, "Old things").waitFor();
    await choose(page, "Old things", "Take out of the archive");
    await page.getByText("Nothing is archived.").waitFor();
    await sidebar.getByRole("button", { name: "All conversations" }).click();
    await row(page, "Old things").waitFor();
    await sidebar.getByRole("button", { name: /private chat/ }).click();
    await row(page, "Private").waitFor();
    await page.getByText("Private: nothing of this is remembered").waitFor();
    await page.getByText("Nothing that you say here is remembered.").waitFor();
    assert.equal(await page.getByText("What you tell me is remembered.").count(), 0);
    assert.equal((await listed(world))[0].memory, "off");
  },

  async "many conversations come by pages, and the keyboard goes through them"(world) {
    for (let i = 0; i < 45; i++) await make(world, `Number ${i}`);
    const { page } = await signedIn(world);
    await row(page, "Number 44").waitFor();
    assert.equal(await rows(page).count(), 40);
    await page.getByRole("button", { name: "Show older" }).first().click();
    await row(page, "Number 0").waitFor();
    await row(page, "Number 44").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator(".chat-head").getByText("Number 43").waitFor();
    await row(page, "Number 43").focus(); // opening gave the focus to where one writes
    await page.keyboard.press("End");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.session), await rows(page).last().getAttribute("data-session"));
  },

  async "titles are text and nothing else, and nothing is wrong with the list on a phone in the dark"(world) {
    await make(world, "<img src=x onerror=alert(1)>");
    const { page } = await signedIn(world, { ...PHONE, ...DARK });
    await page.getByRole("button", { name: "Menu" }).click();
    await page.locator("dialog [data-session]").filter({ hasText: "<img" }).waitFor();
    await page.locator("dialog .session-row .button").first().click();
    await page.getByRole("menuitem", { name: "Rename" }).waitFor();
    assert.deepEqual(await violations(page), []);
  },
};
