// Send, stream, stop, and come back in mid-answer.
import assert from "node:assert/strict";
import { violations } from "./axe.mjs";
import { answers, composer, questions, say, settled, signIn, stopButton } from "./browser.mjs";

async function device({ open, user }, options) {
  const made = await open(options);
  const page = await made.newPage();
  await signIn(page, user);
  return { ...made, page };
}

export const tests = {
  async "an answer streams in and is there after a reload"(world) {
    const { page } = await device(world);
    await say(page, "write well");
    await settled(page);
    await page.getByRole("table").waitFor();
    await page.locator(".hljs-keyword").first().waitFor();
    const faults = await violations(page);
    assert.deepEqual(faults.filter((each) => each.startsWith("color-contrast")), []);
    await page.reload();
    await page.getByRole("table").waitFor();
    assert.equal(await questions(page).count(), 1);
    assert.equal(await answers(page).count(), 1);
  },

  async "stop ends the answer on the server, and what was said stays"(world) {
    const { page } = await device(world);
    await say(page, "slowly");
    await answers(page).getByText("word5").waitFor();
    await stopButton(page).click();
    await settled(page);
    await page.getByText("Stopped").waitFor();
    const said = (await answers(page).last().innerText()).match(/word\d+/g).length;
    assert.ok(said < 150, `${said} words`);
    await page.reload();
    await answers(page).getByText("word5").waitFor();
    await page.getByText("Stopped").waitFor();
  },

  async "a reload in mid-answer goes on: nothing lost, nothing twice"(world) {
    const { page } = await device(world);
    await say(page, "slowly");
    await answers(page).getByText("word5").waitFor();
    await page.reload();
    await answers(page).getByText("word5").waitFor();
    await answers(page).getByText("word149").waitFor();
    await settled(page);
    const words = (await answers(page).last().innerText()).match(/word\d+/g);
    assert.deepEqual(words, Array.from({ length: 150 }, (_, i) => `word${i}`));
    assert.equal(await answers(page).count(), 1);
    assert.equal(await questions(page).count(), 1);
  },

  async "Escape stops, Enter sends, Shift+Enter does not, and a draft survives a reload"(world) {
    const { page } = await device(world);
    await composer(page).fill("slowly");
    await composer(page).press("Enter");
    await answers(page).getByText("word3").waitFor();
    await page.keyboard.press("Escape");
    await settled(page);
    await composer(page).fill("half a thought");
    await composer(page).press("Shift+Enter");
    await page.reload();
    await page.waitForFunction(() => document.querySelector("textarea")?.value.startsWith("half a thought"));
    assert.equal(await questions(page).count(), 1);
  },
};
