// Where the focus is after each act of somebody without a pointer, and what is in reach on a small, wide or coarse page.
import assert from "node:assert/strict";
import { answers, composer, PHONE, questions, say, settled, signedIn, signIn } from "./browser.mjs";
import { make } from "./memories.mjs";
import { until, wait } from "./waiting.mjs";

const focused = (page) => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.tagName);
const isFocused = (page, name) => until(async () => name.test((await focused(page)) ?? ""), `the focus is not on ${name}`);

export const tests = {
  async "what is forgotten and had back by keyboard keeps the focus in its line"(world) {
    const { page } = await signedIn(world);
    await say(page, "I live in Lisbon.");
    await settled(page);
    const head = answers(page).last().locator(".answer-memory-head");
    await head.getByText("Remembered").waitFor();
    await head.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Undo: The user lives in Lisbon." }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Not remembered after all.").waitFor();
    await isFocused(page, /^Undo: The user lives in Lisbon/);
    await page.keyboard.press("Enter");
    await page.getByText("Not remembered after all.").waitFor({ state: "detached" });
    await isFocused(page, /^Undo: The user lives in Lisbon/);
  },

  async "who forgets a memory of the list by keyboard is at the next one, and after the last one on the page"(world) {
    const { page } = await signedIn(world);
    for (const text of ["First of all.", "Then this.", "At last that."]) await make(world, { text, kind: "fact" });
    await page.goto("/memory");
    const rows = page.locator(".row-text");
    await rows.nth(2).waitFor();
    const text = () => page.evaluate(() => document.activeElement?.textContent);
    await page.getByRole("button", { name: "Forget: Then this." }).focus();
    await page.keyboard.press("Enter");
    await until(async () => (await text()) === "First of all.", "the focus is not on the row below");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
    await until(async () => (await text()) === "At last that.", "the focus is not on the row that is left");
    await page.getByRole("button", { name: "Forget: At last that." }).focus();
    await page.keyboard.press("Enter");
    await rows.first().waitFor({ state: "detached" });
    await until(() => page.evaluate(() => document.activeElement?.id === "main"), "the focus is not on the page");
  },

  async "on a phone no line of what a memory is ends with a dot"(world) {
    const { page } = await signedIn(world, PHONE);
    await make(world, { text: "The cat is called Minka.", kind: "fact" });
    await page.goto("/memory");
    await page.locator(".row-text").waitFor();
    const ends = await page.locator(".row-meta").evaluate((meta) => {
      const parts = [...meta.children];
      const last = parts.filter((each, place) => parts[place + 1] && parts[place + 1].offsetTop > each.offsetTop);
      return last.map((each) => getComputedStyle(each, "::after").content);
    });
    assert.deepEqual([...new Set(ends)], ["none"], "and there is more than one line");
  },

  async "a finger leaves no button lit"(world) {
    const { page } = await signedIn(world, PHONE);
    await make(world, { text: "The cat is called Minka.", kind: "fact" });
    await page.goto("/memory");
    const filters = page.getByRole("button", { name: "Filters" });
    const color = () => filters.evaluate((each) => getComputedStyle(each).borderColor);
    const before = await color();
    await filters.hover(); // as a tap leaves it
    await wait(300);
    assert.equal(await color(), before);
  },

  async "who leaves an edit is where he was; who sends one, or wants an answer anew, is where he writes"(world) {
    const { page } = await signedIn(world);
    await say(page, "say one");
    await answers(page).getByText("one").waitFor();
    await settled(page);
    const edit = questions(page).first().getByRole("button", { name: "Edit" });
    await edit.focus();
    await page.keyboard.press("Enter");
    await isFocused(page, /^Edit$/);
    await page.keyboard.press("Escape");
    await edit.waitFor();
    await isFocused(page, /^Edit$/);
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Edit" }).fill("say two");
    await page.keyboard.press("Enter");
    await answers(page).getByText("two").waitFor();
    await settled(page);
    await isFocused(page, /^Message$/);
    await answers(page).last().getByRole("button", { name: "Answer again" }).focus();
    await page.keyboard.press("Enter");
    await isFocused(page, /^Message$/);
    await settled(page);
    await isFocused(page, /^Message$/);
  },

  async "who undoes by the message at the edge is on the page afterwards"(world) {
    const { server, user } = world;
    for (const title of ["First", "Second"]) await server.as(user, "POST", "/api/sessions", { title });
    const { page } = await signedIn(world);
    // Not the one that is open, whose page is made anew.
    const row = page.locator('.layout > .sidebar .session-row[data-open="false"]').filter({ hasText: /First|Second/ }).first();
    await row.getByRole("button", { name: /^More for/ }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Archive" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Undo" }).focus();
    await page.keyboard.press("Enter");
    await isFocused(page, /^MAIN$/);
  },

  async "on a phone on its side the conversations are in reach"(world) {
    const { server, user } = world;
    for (const title of ["First", "Second"]) await server.as(user, "POST", "/api/sessions", { title });
    const { page } = await signedIn(world, { viewport: { width: 740, height: 360 }, hasTouch: true, isMobile: true });
    await page.getByRole("button", { name: "Menu" }).click();
    const row = page.getByRole("dialog", { name: "Menu" }).locator("[data-session]").filter({ hasText: "First" });
    const { top, bottom } = await row.evaluate((each) => each.closest(".sidebar-body").getBoundingClientRect());
    assert.ok(bottom - top > 200, `the conversations have ${bottom - top} pixels`);
    await row.tap();
    await page.getByRole("heading", { name: "First" }).waitFor();
  },

  async "letters twice as large make no page wider than a phone"({ open, user }) {
    const device = await open({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    const page = await device.newPage();
    await page.addInitScript(() => addEventListener("DOMContentLoaded", () => (document.documentElement.style.fontSize = "200%")));
    const fits = async (name) => {
      const wide = await page.evaluate(() => {
        const boxes = [document.documentElement, ...document.querySelectorAll("main, .page, .sign-in-card, .chat-head")];
        return boxes.filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.className || each.tagName);
      });
      assert.deepEqual(wide, [], name);
    };
    await page.goto("/");
    await page.getByLabel("Your name").waitFor();
    await fits("sign-in");
    await signIn(page, user);
    await composer(page).waitFor();
    await fits("chat");
    const title = page.getByRole("heading", { level: 1 });
    assert.ok((await title.evaluate((each) => each.scrollWidth <= each.clientWidth)), "the title is cut off");
    for (const name of ["memory", "notes", "graph", "knowledge", "usage", "account"]) {
      await page.goto(`/${name}`);
      await page.getByRole("heading").first().waitFor();
      await page.locator(".waiting").first().waitFor({ state: "detached" });
      await fits(name);
    }
  },

  async "on a phone what is put away in the drawer can be taken back there, and the focus stays in it"(world) {
    const { page } = await signedIn(world, PHONE);
    await say(page, "say only one");
    await settled(page);
    await page.getByRole("button", { name: "Menu" }).click();
    const drawer = page.getByRole("dialog");
    const only = drawer.locator("[data-session]").first();
    const title = await only.innerText();
    const isInside = () => page.evaluate(() => document.activeElement?.closest("dialog") !== null);
    await drawer.getByRole("button", { name: `More for ${title}` }).click();
    await page.getByRole("menuitem", { name: "Archive", exact: true }).click();
    const undo = page.getByRole("button", { name: "Undo" });
    await undo.waitFor();
    assert.ok(await isInside(), "the focus was lost with the row");
    await undo.click(); // it would be refused where the drawer covers it
    await drawer.locator("[data-session]").filter({ hasText: title }).waitFor();
    await undo.waitFor({ state: "detached" });
    assert.ok(await isInside(), "the focus was lost with the undo");
  },
};
