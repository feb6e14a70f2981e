// Where the focus is after each act of somebody without a pointer, and what is in reach on a small, wide or coarse page.
import assert from "node:assert/strict";
import { answers, composer, PHONE, questions, say, settled, signedIn, signIn } from "./browser.mjs";
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
      await wait(500); // what it lists is there
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
