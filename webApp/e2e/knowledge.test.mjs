// Documents, what the model reads, and what was used.
import assert from "node:assert/strict";
import { answers, composer, DARK, PHONE, say, settled, signedIn } from "./browser.mjs";
import { violations } from "./axe.mjs";
import { until } from "./waiting.mjs";

const text = (name, words) => ({ name, mimeType: "text/plain", buffer: Buffer.from(words) });
const article = (page, name) => page.getByRole("list", { name: "Documents" }).getByRole("listitem").filter({ hasText: name });

async function drop(page, name, words) {
  const data = await page.evaluateHandle(
    ([name, words]) => {
      const given = new DataTransfer();
      given.items.add(new File([words], name, { type: "text/markdown" }));
      return given;
    },
    [name, words],
  );
  await page.dispatchEvent("body", "dragover", { dataTransfer: data });
  await page.getByText("Let go to add them").waitFor();
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
}

export const tests = {
  async "a dropped document is read, replaced by its name, deleted, and taken back"(world) {
    const { page } = await signedIn(world);
    await page.goto("/knowledge");
    await page.getByRole("heading", { name: "Nothing to look things up in yet" }).waitFor();
    await drop(page, "opening.md", "# Opening\n\nThe office in Lisbon opens at nine.\n");
    await article(page, "opening.md").getByText("Ready").waitFor();
    await page.locator("input[type=file]").setInputFiles([text("opening.md", "# Opening\n\nThe office in Lisbon opens at ten, not at nine.\n")]);
    await page.getByText("opening.md takes the place of the earlier one.").waitFor();
    await article(page, "opening.md").getByText("Ready").waitFor();
    assert.equal(await article(page, "").count(), 1);
    await page.getByRole("button", { name: "Delete opening.md" }).click();
    await article(page, "opening.md").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await article(page, "opening.md").waitFor();
    await page.getByRole("button", { name: "Delete opening.md" }).click();
    await article(page, "opening.md").waitFor({ state: "detached" });
    await page.goto("/");
    const left = async () => (await world.server.as(world.user, "GET", "/api/knowledge")).body.articles;
    await until(async () => (await left()).length === 0, "it was not deleted");
  },

  async "an answer names its documents, and leads to them"(world) {
    const { page } = await signedIn(world);
    await page.goto("/knowledge");
    await page.getByRole("heading", { level: 1, name: "Documents" }).waitFor();
    await page.locator("input[type=file]").setInputFiles([text("z3.md", "# Zephyr manual\n\nThe inlet filter is changed every 400 hours.\n"), text("tea.txt", "Tea at four.")]);
    await article(page, "z3.md").getByText("Ready").waitFor();
    await page.goto("/");
    await say(page, "look up the inlet filter");
    await answers(page).getByText("Found.").waitFor();
    await settled(page);
    const fold = answers(page).locator("details.tool");
    await fold.locator("> summary").getByText("“the inlet filter”").waitFor();
    await fold.locator("> summary").getByText("Looked into documents").click();
    await fold.getByText("Zephyr manual, z3.md", { exact: true }).waitFor();
    assert.equal(await fold.getByText("<sources>").isVisible(), false);
    await fold.getByText("Details").click();
    await fold.getByText("<sources>").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.screenshot({ path: new URL("sources.png", world.output).pathname });
    const source = page.getByRole("list", { name: "Sources" }).getByRole("link");
    assert.match(await source.innerText(), /Zephyr manual\s+z3\.md/);
    await source.click();
    await page.waitForFunction(() => document.activeElement?.textContent.includes("z3.md"));
    assert.equal(await article(page, "z3.md").getAttribute("data-spot"), "true");
    assert.equal(await article(page, "tea.txt").getAttribute("data-spot"), "false");
    assert.deepEqual(await violations(page), []);
    await page.screenshot({ path: new URL("documents-spot.png", world.output).pathname });
  },

  async "what cannot be taken says why, and does not hold up the rest"(world) {
    const { device, page } = await signedIn(world);
    device.allow(/422/);
    await page.goto("/knowledge");
    const files = [text("photo.png", "x"), text("empty.txt", ""), text("lies.pdf", "just text"), text("broken.pdf", "%PDF-1.4 nothing"), text("good.txt", "Tea at four.")];
    await page.locator("input[type=file]").setInputFiles(files);
    await page.getByText("It is no text, Markdown, HTML or PDF.").waitFor();
    await page.getByText("The document is empty.").waitFor();
    await page.getByText('"lies.pdf" is not what its name says.').waitFor();
    await article(page, "good.txt").getByText("Ready").waitFor();
    await article(page, "broken.pdf").getByText("Could not be read").waitFor();
    await page.getByRole("button", { name: "Take photo.png off this list" }).click();
    await page.getByText("photo.png").waitFor({ state: "detached" });
    assert.deepEqual(await violations(page), []);
    await page.emulateMedia(DARK);
    assert.deepEqual(await violations(page), []);
  },

  async "on a phone a name that is one long word leaves all in reach, also what takes its deletion back"(world) {
    const { page } = await signedIn(world, PHONE);
    const name = `${"Donaudampfschifffahrtselektrizitätenhauptbetriebswerk".repeat(2)}.txt`;
    await page.goto("/knowledge");
    await page.locator("input[type=file]").setInputFiles([text(name, "Tea at four.")]);
    await article(page, name).getByText("Ready").waitFor();
    await page.getByRole("button", { name: `Delete ${name}` }).click();
    const undo = page.getByRole("button", { name: "Undo" });
    await undo.waitFor();
    const boxes = await page.locator(".toast, .toast .button").evaluateAll((all) => all.map((each) => each.getBoundingClientRect()).map(({ left, right }) => [left, right]));
    assert.ok(boxes.every(([left, right]) => left >= 0 && right <= PHONE.viewport.width), JSON.stringify(boxes));
    await undo.click();
    await article(page, name).getByText("Ready").waitFor();
  },

  async "what the model reads is shown part by part, with what was remembered and why"(world) {
    const { page } = await signedIn(world);
    await say(page, "My name is Ada and I live in Lisbon.");
    await settled(page);
    await page.locator(".layout > .sidebar").getByRole("button", { name: "New chat", exact: true }).first().click();
    await page.getByText("What is on your mind?").waitFor();
    await composer(page).fill("Where do I live?");
    const open = page.getByRole("button", { name: "What the model reads" });
    const panel = page.getByRole("dialog", { name: "What the model reads" });
    // What is learned is learned a moment later.
    await until(async () => {
      await open.click();
      await panel.locator(".context-parts").waitFor();
      if (await panel.locator("summary", { hasText: "Remembered" }).filter({ hasText: "that bear on" }).count()) return true;
      await page.keyboard.press("Escape");
      return false;
    }, "nothing was recalled");
    assert.equal(await panel.getByLabel("Message to try").inputValue(), "Where do I live?");
    await panel.locator("summary", { hasText: "Remembered" }).click();
    await panel.getByText("because of").first().waitFor();
    await panel.getByText("What does not fit at all is refused").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.emulateMedia(DARK);
    assert.deepEqual(await violations(page), []);
    await page.setViewportSize(PHONE.viewport);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
  },

  async "what was used is a chart for eyes, keys and ears"(world) {
    const { page } = await signedIn(world);
    await page.goto("/usage");
    await page.getByRole("heading", { name: "Nothing was used yet" }).waitFor();
    await page.goto("/");
    await say(page, "say hello");
    await answers(page).getByText("hello").waitFor();
    await settled(page);
    await page.goto("/usage");
    const chart = page.getByRole("group", { name: /^Tokens per day over 30 days/ });
    const today = chart.getByRole("img").last();
    assert.match(await today.getAttribute("aria-label"), /[1-9]\d* tokens in 1 answer/);
    await today.focus();
    await page.keyboard.press("ArrowLeft");
    await page.getByText(/: 0 tokens in 0 answers/).waitFor();
    await page.getByText("As a table").click();
    assert.ok(await page.getByRole("row").count() >= 4);
    await page.getByText(/tokens left/).waitFor();
    await page.getByText("7 days").click();
    await page.getByRole("group", { name: /^Tokens per day over 7 days/ }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.emulateMedia(DARK);
    assert.deepEqual(await violations(page), []);
    await page.setViewportSize(PHONE.viewport);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  },
};
