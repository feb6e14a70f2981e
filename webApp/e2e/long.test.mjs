// A conversation of 2,000 messages opens quickly and scrolls without long pauses. What that takes is printed; it is held
// to its bounds with STRICT=1, on a machine that has nothing else to do.
import assert from "node:assert/strict";
import { answers, composer, signIn } from "./browser.mjs";
import { longSession } from "./long-session.mjs";

const MESSAGES = 2_000;
const OPENS_IN_MS = 1_500;
const LONGEST_TASK_MS = 100;
const SLACK = process.env.STRICT ? 1 : 20;

// With thousands of messages roles and names take the test minutes to look through: by class here.
const isDrawn = (page, text) =>
  page.waitForFunction((said) => [...document.querySelectorAll(".answer")].at(-1)?.textContent.includes(said), text);
const place = (page) =>
  page.evaluate(() => {
    const { scrollTop, scrollHeight, clientHeight } = document.querySelector(".log-scroll");
    return { top: scrollTop, fromEnd: scrollHeight - scrollTop - clientHeight, count: document.querySelectorAll("article").length };
  });
const topOf = (page, text) =>
  page.evaluate((said) => [...document.querySelectorAll("article")].find((each) => each.textContent.includes(said)).getBoundingClientRect().top, text);

export const tests = {
  async "2,000 messages open quickly, and scroll without long tasks"({ server, open, user }) {
    const device = await open();
    const page = await device.newPage();
    await signIn(page, user);
    const came = await server.as(user, "POST", "/api/account/import", longSession(MESSAGES));
    assert.equal(came.status, 200, JSON.stringify(came.body).slice(0, 300));
    await page.reload();
    await page.getByRole("button", { name: "A long one", exact: true }).click();
    await answers(page).last().getByText(`Answer ${MESSAGES - 1}`).waitFor();

    await page.addInitScript(() => {
      window.longTasks = [];
      new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((each) => each.duration))).observe({ type: "longtask", buffered: true });
    });
    const opened = [];
    for (let round = 0; round < 3; round++) {
      await page.reload();
      await isDrawn(page, `Answer ${MESSAGES - 1}`);
      opened.push(await page.evaluate(() => Math.round(performance.now())));
    }
    await page.waitForFunction(() => document.querySelector(".markdown"));
    assert.ok((await place(page)).fromEnd < 2, "the end is in view");

    await page.evaluate(() => (window.longTasks.length = 0));
    await page.locator(".log-scroll").hover();
    for (let i = 0; i < 2_000 && (await place(page)).count < MESSAGES; i++) {
      await page.mouse.wheel(0, -2_500);
      await page.waitForTimeout(40);
    }
    assert.equal((await place(page)).count, MESSAGES);
    const tasks = await page.evaluate(() => window.longTasks.map(Math.round));

    await page.locator(".jump button").click();
    await page.waitForFunction(() => document.querySelector(".jump") === null);
    assert.ok((await place(page)).fromEnd < 48);
    await page.locator(".composer textarea").fill("say still quick");
    await page.locator(".composer textarea").press("Enter");
    await isDrawn(page, "still quick");
    await page.locator(".composer button[type=submit]").waitFor();
    const worst = Math.max(0, ...tasks);
    console.log(`      N = ${MESSAGES}: opens in ${opened.join(", ")} ms; scrolling to the top: ${tasks.length} long tasks, the longest ${worst} ms`);
    assert.ok(Math.max(...opened) < OPENS_IN_MS * SLACK, `opens in ${opened} ms`);
    assert.ok(worst < LONGEST_TASK_MS * SLACK, `a task of ${worst} ms`);
  },

  async "older messages in front move nothing that is read"({ server, open, user }) {
    const device = await open();
    const page = await device.newPage();
    await signIn(page, user);
    await server.as(user, "POST", "/api/account/import", longSession(MESSAGES));
    await page.reload();
    await page.getByRole("button", { name: "A long one", exact: true }).click();
    await answers(page).last().getByText(`Answer ${MESSAGES - 1}`).waitFor();
    await page.waitForFunction(() => document.querySelector(".markdown"));
    // At the very top, where browsers keep no place of their own; the next page is held back until we have looked.
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await page.route("**/messages?*before=*", async (route) => {
      await held;
      await route.continue();
    });
    await page.locator(".log-scroll").hover();
    for (let i = 0; i < 100 && (await place(page)).top > 1; i++) {
      await page.mouse.wheel(0, -1_000);
      await page.waitForTimeout(50);
    }
    const { count } = await place(page);
    const first = `Question ${MESSAGES - count}?`;
    const before = await topOf(page, first);
    release();
    await page.waitForFunction((n) => document.querySelectorAll("article").length > n, count);
    await page.waitForTimeout(300);
    const after = await topOf(page, first);
    assert.ok(Math.abs(after - before) < 5, `it moved from ${before} to ${after}`);
  },
};
