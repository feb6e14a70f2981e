// What is written from right to left, what is printed, and what a picture of the page does not show.
import assert from "node:assert/strict";
import { answers, DARK, questions, say, settled, signedIn } from "./browser.mjs";

const HEBREW = "אני גר בחיפה.";

export const tests = {
  async "a question that is written from right to left ends at the left"(world) {
    const { page } = await signedIn(world);
    await say(page, `${HEBREW}\nAnd in English.`);
    await settled(page);
    const [stop, first] = await questions(page).last().evaluate((article) => {
      const text = document.createTreeWalker(article, NodeFilter.SHOW_TEXT).nextNode();
      const left = (at) => {
        const range = document.createRange();
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect().left;
      };
      return [left(text.data.indexOf(".")), left(0)];
    });
    assert.ok(stop < first, `the full stop is at ${stop}, the first letter at ${first}`);
  },

  async "a chat is printed whole, dark on white, without what surrounds it"(world) {
    const { page } = await signedIn(world, DARK);
    for (let i = 0; i < 8; i++) {
      await say(page, `say ${"one more line\n".repeat(6)} ${i}`);
      await settled(page);
    }
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    const shown = await page.evaluate(() => ({
      box: document.querySelector(".log-scroll").clientHeight,
      whole: document.querySelector(".log-scroll").scrollHeight,
      page: document.documentElement.scrollHeight,
      isDark: getComputedStyle(document.querySelector(".message")).color !== "rgb(29, 27, 24)",
    }));
    assert.equal(await page.getByRole("textbox", { name: "Message" }).isVisible(), false);
    assert.equal(await page.locator(".layout > .sidebar").isVisible(), false);
    assert.ok(shown.page >= shown.whole && shown.box >= shown.whole - 1 && !shown.isDark, JSON.stringify(shown));
    assert.ok(await answers(page).first().isVisible());
  },
};
