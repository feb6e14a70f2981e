// Notes in two tabs, the graph in time, and what an account can take along and leave behind.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { violations } from "./axe.mjs";
import { answers, say, settled, signedIn } from "./browser.mjs";

const notesOf = async ({ server, user }) => (await server.as(user, "GET", "/api/agents/assistant/notes")).body;
const editor = (page) => page.getByRole("textbox", { name: "Notes" });
const save = (page) => page.getByRole("button", { name: "Save", exact: true });

async function write(page, text) {
  await page.goto("/notes");
  await editor(page).fill(text);
  await save(page).click();
  await page.getByText("Saved.").first().waitFor();
}

export const tests = {
  async "notes are written, kept over a reload before they are saved, and restored"(world) {
    const { page } = await signedIn(world);
    await write(page, "# One\n\n- tea");
    page.on("dialog", (dialog) => dialog.accept());
    await editor(page).fill("# Two");
    await page.reload();
    assert.equal(await editor(page).inputValue(), "# Two");
    await page.keyboard.press("Tab");
    await editor(page).press("Control+s");
    await page.getByText("Saved.").first().waitFor();
    assert.equal((await notesOf(world)).notes, "# Two");
    await page.getByRole("button", { name: /^Version 1/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("- tea").waitFor();
    await dialog.getByRole("button", { name: "What differs from now" }).click();
    assert.deepEqual(await violations(page), []);
    await dialog.getByRole("button", { name: "Restore this version" }).click();
    await page.getByText("Version 1 is back.").waitFor();
    assert.equal(await editor(page).inputValue(), "# One\n\n- tea");
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await page.getByRole("button", { name: /^Version 4/ }).waitFor();
    assert.equal((await notesOf(world)).notes, "# Two");
  },

  async "what is written while a save is under way is still there after it"(world) {
    const { page } = await signedIn(world);
    await page.goto("/notes");
    let send;
    const held = new Promise((resolve) => (send = resolve));
    await page.route("**/api/agents/*/notes", async (route) => {
      if (route.request().method() === "PUT") await held;
      await route.continue();
    });
    await editor(page).fill("one");
    await save(page).click();
    await editor(page).fill("one, two");
    send();
    await page.getByText("Saved.").first().waitFor();
    assert.equal(await editor(page).inputValue(), "one, two");
    assert.equal((await notesOf(world)).notes, "one");
    await save(page).click();
    await page.getByText(/^Version 2/).first().waitFor();
    assert.equal((await notesOf(world)).notes, "one, two");
  },

  async "of two tabs the second is asked, and nothing of either is lost"(world) {
    const { device, page } = await signedIn(world);
    device.allow(/412/);
    await write(page, "base");
    const other = await device.newPage();
    await other.goto("/notes");
    await editor(other).fill("base\nfrom the other tab");
    await editor(page).fill("base\nmine");
    await save(other).click();
    await other.getByText("Saved.").first().waitFor();
    await save(page).click();
    const dialog = page.getByRole("dialog", { name: "The page was changed meanwhile" });
    await dialog.getByText("+ mine").waitFor();
    await dialog.getByText("− from the other tab").waitFor();
    assert.deepEqual(await violations(page), []);
    await dialog.getByRole("button", { name: "Take theirs" }).click();
    assert.equal(await editor(page).inputValue(), "base\nfrom the other tab");
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    assert.equal(await editor(page).inputValue(), "base\nmine", "what was set aside is here again");
    await editor(other).fill("base\nfrom the other tab\ntwice");
    await save(other).click();
    await other.getByText(/^Version 3/).first().waitFor();
    await save(page).click();
    await dialog.getByLabel("What will be saved").fill("base\nboth");
    await dialog.getByRole("button", { name: "Save what is in the box" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.equal((await notesOf(world)).notes, "base\nboth");
    assert.equal(await editor(page).inputValue(), "base\nboth");
  },

  async "what the agent notes in a chat is told there and taken back"(world) {
    const { page } = await signedIn(world);
    await say(page, "remember that I like tea");
    await settled(page);
    await answers(page).last().getByText(/Notes changed/).click();
    await page.getByRole("button", { name: "Undo: Notes changed" }).click();
    await page.getByText("It is as it was.").waitFor();
    assert.equal((await notesOf(world)).notes, "");
  },

  async "the graph is drawn, moved, asked and read as a list, now and as it was"(world) {
    const { page } = await signedIn(world);
    for (const [subject, predicate, object] of [["Mary", "lives in", "Rome"], ["Tom", "knows", "Mary"]]) {
      await world.server.as(world.user, "POST", "/api/memories", { text: `${subject} ${predicate} ${object}.`, triple: { subject, predicate, object } });
    }
    const [rome] = (await world.server.as(world.user, "GET", "/api/memories?q=Rome")).body.memories;
    await world.server.as(world.user, "PATCH", `/api/memories/${rome.id}`, { valid_to: new Date().toISOString() });
    await page.clock.install({ time: new Date(Date.now() + 3_600_000) }); // an hour later there is a time to move in
    await page.goto("/graph");
    const node = (name) => page.locator(".graph-node").filter({ hasText: name });
    await node("Mary").waitFor();
    assert.equal(await node("Rome").count(), 0, "it no longer holds");
    const slider = page.getByRole("slider", { name: "As it was" });
    await slider.fill("0");
    assert.notEqual(await slider.getAttribute("aria-valuetext"), "now");
    await node("Rome").waitFor();
    const group = page.getByRole("group", { name: /A picture of/ });
    const moved = () => page.locator(".graph > g").getAttribute("transform");
    await slider.press("End");
    const before = await moved();
    await group.focus();
    await page.keyboard.press("+");
    await page.keyboard.press("ArrowLeft");
    assert.notEqual(await moved(), before);
    await page.keyboard.press("0");
    assert.equal(await moved(), before);
    await group.hover();
    await page.mouse.wheel(0, -300);
    assert.notEqual(await moved(), before);
    await page.getByRole("button", { name: "Show all" }).click();
    await node("Mary").locator("circle").click();
    await page.getByText("Tom knows Mary.").waitFor();
    await page.getByRole("button", { name: "List" }).click();
    await page.getByRole("button", { name: "Tom" }).waitFor();
    assert.deepEqual(await violations(page), []);
  },

  async "data is taken along, erased with a receipt, and brought in again"(world) {
    const { page } = await signedIn(world);
    await say(page, "My dog is called Rex.");
    await settled(page);
    await answers(page).last().getByText(/^Remembered/).waitFor();
    await page.goto("/account");
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download my data" }).click()]);
    const path = await file.path();
    assert.equal(JSON.parse(readFileSync(path, "utf8")).memories.length, 1);
    await page.getByRole("button", { name: "Erase my data" }).click();
    const dialog = page.getByRole("dialog");
    const final = dialog.getByRole("button", { name: "Erase for good" });
    assert.equal(await final.isDisabled(), true);
    await dialog.getByLabel(/Type/).fill("erase");
    assert.deepEqual(await violations(page), []);
    await final.click();
    await page.getByText("Everything was erased on").waitFor();
    await page.getByRole("row", { name: /^Memories 1/ }).waitFor();
    assert.equal((await world.server.as(world.user, "GET", "/api/memories")).body.memories.length, 0);
    await page.locator("input[type=file]").setInputFiles(path);
    await page.getByText("It is here now.").waitFor();
    assert.equal((await world.server.as(world.user, "GET", "/api/memories")).body.memories.length, 1);
  },

  async "a file that is no export is refused with the server's words, and changes nothing"(world) {
    const { device, page } = await signedIn(world);
    device.allow(/422/);
    await page.goto("/account");
    await page.locator("input[type=file]").setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from('{"a": 1}') });
    await page.getByRole("alert").waitFor();
  },

  async "a personal token is shown once and revoked"(world) {
    const { page } = await signedIn(world);
    await page.goto("/account");
    await page.getByLabel("Name").fill("my editor");
    await page.getByRole("button", { name: "Make a token" }).click();
    const token = await page.locator(".token-shown code").innerText();
    const ask = () => fetch(`${world.server.address}/api/memories`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal((await ask()).status, 200);
    await page.getByRole("button", { name: "Revoke my editor" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("You have no tokens.").waitFor();
    assert.equal((await ask()).status, 401);
  },
};
