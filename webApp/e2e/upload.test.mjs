// A large document over a slow line: how much of it is sent is seen while it is.
import assert from "node:assert/strict";
import { violations } from "./axe.mjs";
import { signIn } from "./browser.mjs";

export const tests = {
  async "a document on its way says how much of it is sent"({ server, open, user, output }) {
    const device = await open();
    const page = await device.newPage();
    await signIn(page, user);
    await page.goto("/knowledge");
    await page.getByRole("heading", { level: 1 }).waitFor();
    const line = await device.context.newCDPSession(page);
    const speed = { offline: false, latency: 0, downloadThroughput: -1 };
    await line.send("Network.enable");
    await line.send("Network.emulateNetworkConditions", { ...speed, uploadThroughput: 30_000 });
    await page.evaluate(() => {
      window.percents = [];
      new MutationObserver(() => {
        const told = /Sending: (\d+) %/.exec(document.querySelector("main").textContent)?.[1];
        if (told !== undefined && window.percents.at(-1) !== Number(told)) window.percents.push(Number(told));
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    const words = "A line of a long document, which is not read to its end by anybody.\n".repeat(5_000);
    await page.locator("input[type=file]").setInputFiles([{ name: "long.txt", mimeType: "text/plain", buffer: Buffer.from(words) }]);
    await page.waitForFunction(() => window.percents.some((each) => each > 0 && each < 100));
    assert.equal(await page.getByRole("progressbar", { name: "How far long.txt is sent" }).count(), 1);
    await page.screenshot({ path: new URL("sending.png", output).pathname });
    assert.deepEqual(await violations(page), []);
    await line.send("Network.emulateNetworkConditions", { ...speed, uploadThroughput: -1 });
    await page.getByRole("list", { name: "Documents" }).getByText("long.txt").waitFor();
    const percents = await page.evaluate(() => window.percents);
    assert.deepEqual(percents, [...percents].sort((a, b) => a - b), "it only grows");
    assert.equal((await server.as(user, "GET", "/api/knowledge")).body.articles[0].size_bytes, words.length);
  },
};
