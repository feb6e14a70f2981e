// What an answer used and learned, below it.
import assert from "node:assert/strict";
import { violations } from "./axe.mjs";
import { answers, PHONE, say, settled, signedIn } from "./browser.mjs";
import { memories } from "./memories.mjs";
import { until } from "./waiting.mjs";

const remembered = (page) => answers(page).last().locator(".answer-memory-head");

export const tests = {
  async "what was learned is told below the answer, taken back in place, and had again"(world) {
    const { page } = await signedIn(world);
    await say(page, "I live in Lisbon.");
    await settled(page);
    await remembered(page).getByText("Remembered: The user lives in Lisbon.").waitFor();
    await remembered(page).click();
    await page.getByRole("button", { name: "Undo: The user lives in Lisbon." }).click();
    await page.getByText("Not remembered after all.").waitFor();
    assert.equal((await memories(world)).length, 0);
    await page.getByRole("button", { name: "Undo: The user lives in Lisbon." }).click();
    await until(async () => (await memories(world)).length === 1, "it is back");
    assert.deepEqual(await violations(page), []);
    await page.reload();
    await remembered(page).getByText("Remembered: The user lives in Lisbon.").waitFor();
  },

  async "on a phone what takes something back stands where its line begins"(world) {
    const { page } = await signedIn(world, PHONE);
    await say(page, "I live in Lisbon.");
    await settled(page);
    await remembered(page).getByText("Remembered: The user lives in Lisbon.").waitFor();
    await remembered(page).click();
    const undo = page.getByRole("button", { name: "Undo: The user lives in Lisbon." });
    await undo.click();
    await page.getByText("Not remembered after all.").waitFor();
    const [line, button] = await Promise.all([page.locator(".memory-line-text").boundingBox(), undo.boundingBox()]);
    assert.ok(button.x >= line.x, `it stands at ${button.x}, its line at ${line.x}`);
  },

  async "what was used is shown with its source after a reload too, marked wrong, forgotten and had back"(world) {
    const { page } = await signedIn(world);
    await say(page, "My sister Mary lives in Porto.");
    await settled(page);
    await until(async () => (await memories(world)).length > 0, "it is learned");
    await page.getByRole("button", { name: "New chat" }).first().click();
    await answers(page).first().waitFor({ state: "detached" });
    await say(page, "Where does my sister Mary live?");
    await answers(page).last().getByText(/Looked at \d/).waitFor();
    await settled(page);
    await page.reload();
    await answers(page).last().getByText(/Looked at \d/).click();
    const text = "The user's sister Mary lives in Porto.";
    const line = page.getByRole("list", { name: "Looked at for this answer" }).getByRole("listitem").filter({ hasText: text });
    await line.getByText("said in an earlier chat").waitFor();
    await line.getByRole("button", { name: "Wrong" }).click();
    await line.getByText("No longer taken for true.").waitFor();
    assert.ok(!(await memories(world)).some((each) => each.text === text));
    assert.deepEqual(await violations(page), []);
    await page.screenshot({ path: new URL("wrong.png", world.output).pathname });
    await line.getByLabel("What is right").fill(text.replace("Porto", "Faro"));
    await line.getByRole("button", { name: "Save" }).click();
    await line.getByText("Corrected: The user's sister Mary lives in Faro.").waitFor();
    assert.ok((await memories(world)).some((each) => each.text === text.replace("Porto", "Faro")));
    await line.getByRole("button", { name: "Undo" }).click();
    await line.getByRole("button", { name: "Forget" }).click();
    await line.getByText("Forgotten.").waitFor();
    assert.ok(!(await memories(world, "&superseded=true")).some((each) => each.text === text));
    await line.getByRole("button", { name: "Undo" }).click();
    await line.getByRole("button", { name: "Forget" }).waitFor();
    assert.ok((await memories(world)).some((each) => each.text === text));
    await line.getByRole("button", { name: "said in an earlier chat" }).click();
    await page.getByRole("article", { name: "You" }).getByText("My sister Mary lives in Porto.").waitFor();
  },

  async "what the user once asked stands apart from what an answer used"(world) {
    const { page } = await signedIn(world);
    await say(page, "say hello");
    await settled(page);
    const line = (id, text, more) => ({ id, what: "message", role: "user", text, said_at: "2026-11-01T00:00:00Z", source: null, ...more });
    const used = [line("1", "Where does Mary live?", { asks: true }), line("2", "**Mary** lives:\n\n- in Porto\n- with Max")];
    await page.route(/\/api\/sessions\/[^/]+\/messages/, async (route) => {
      const answer = await route.fetch();
      const read = await answer.json();
      for (const each of read.messages) if (each.role === "assistant") each.metadata.memories_used = used;
      await route.fulfill({ response: answer, json: read });
    });
    await page.reload();
    await answers(page).last().getByText("Looked at 1 memory").click();
    const list = (name) => page.getByRole("list", { name }).getByRole("listitem");
    await list("Earlier in your chats").getByText("Where does Mary live?").waitFor();
    assert.deepEqual(await list("Looked at for this answer").locator("p").first().innerText(), "Mary lives:\n• in Porto\n• with Max");
    assert.equal(await list("Looked at for this answer").count(), 1);
    assert.deepEqual(await violations(page), []);
    await page.screenshot({ path: new URL("used.png", world.output).pathname });
  },

  async "several things are remembered in one sentence, and nothing is said to be forgotten before it is"(world) {
    const { page } = await signedIn(world);
    await say(page, "I am allergic to peanuts. I live in Lisbon.");
    await settled(page);
    await remembered(page).getByText(/^Remembered: The user [^.]+, and 1 more$/).waitFor();
    await say(page, "forget the submarine");
    await settled(page);
    await answers(page).last().getByText("Looked for what to forget").waitFor();
    await say(page, "forget I lived in Lisbon");
    await settled(page);
    await answers(page).last().getByText("Forgot", { exact: true }).waitFor();
  },

  async "what an answer has forgotten can be had back after a reload, and only once"(world) {
    const { device, page } = await signedIn(world);
    device.allow(/404/); // it is asked for, and gone
    await say(page, "I live in Lisbon.");
    await settled(page);
    await until(async () => (await memories(world)).length === 1, "it is learned");
    await say(page, "forget that I live in Lisbon");
    await settled(page);
    await until(async () => (await memories(world)).length === 0, "it is forgotten");
    await page.reload();
    await remembered(page).getByText("Forgot 1 memory").click();
    assert.equal(await page.getByText("Remembered from this").count(), 0);
    await page.getByRole("list", { name: "Forgotten with this" }).getByRole("button", { name: "Undo: Forgot 1 memory" }).click();
    await page.getByText("It is as it was.").waitFor();
    await page.screenshot({ path: new URL("had-back.png", world.output).pathname });
    await remembered(page).click(); // closed, and opened again
    await remembered(page).click();
    await page.getByText("It is as it was.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Undo: Forgot 1 memory" }).count(), 0);
    assert.equal((await memories(world)).length, 1);
    await page.reload();
    await answers(page).last().getByText("Forgot", { exact: true }).waitFor();
    assert.equal(await page.getByText("Forgot 1 memory").count(), 0);
  },
};
