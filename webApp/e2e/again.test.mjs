// Trying again: what was said or written before it is still there.
import assert from "node:assert/strict";
import { answers, asked, composer, questions, say, settled, signedIn, stopButton } from "./browser.mjs";
import { until } from "./waiting.mjs";

// 1 x 1, red
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
  "base64",
);
const PROBLEM = { code: "overloaded", detail: "Too much at once. Try again.", status: 503 };

/** Refuses the first request to an address, of all that come. */
async function refuseOnce(page, address) {
  let asked = 0;
  await page.route(address, (route) =>
    asked++ > 0
      ? route.continue()
      : route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify(PROBLEM) }),
  );
}

const refusal = (page) => page.getByRole("alert").filter({ hasText: PROBLEM.detail });
const retry = (page) => page.getByRole("button", { name: "Try again" });

export const tests = {
  async "an answer that is there is read again, not made again, when listening failed"(world) {
    const { page } = await signedIn(world);
    await say(page, "say hello");
    await answers(page).getByText("hello").waitFor();
    await settled(page);
    await refuseOnce(page, "**/api/chat/*/stream");
    await page.reload();
    await refusal(page).waitFor();
    await page.locator("input[type=file]").setInputFiles([{ name: "one.png", mimeType: "image/png", buffer: PNG }]);
    await page.getByRole("button", { name: "Remove one.png" }).waitFor();
    const [read] = await Promise.all([page.waitForResponse(/\/messages\?/), retry(page).click()]);
    assert.equal(read.status(), 200);
    await answers(page).getByText("hello").waitFor();
    await refusal(page).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Remove one.png" }).waitFor();
    const { sessions } = (await world.server.as(world.user, "GET", "/api/sessions")).body;
    const { messages } = (await world.server.as(world.user, "GET", `/api/sessions/${sessions[0].session_id}/superseded`)).body;
    assert.deepEqual(messages, []);
  },

  async "what was refused stands where it was written, after a reload too, and is said once"(world) {
    const { page } = await signedIn(world);
    await refuseOnce(page, "**/api/chat");
    await say(page, "say hello");
    await refusal(page).waitFor();
    await questions(page).waitFor({ state: "detached" });
    assert.equal(await composer(page).inputValue(), "say hello");
    await page.screenshot({ path: new URL("given-back.png", world.output).pathname });
    await page.reload();
    await page.waitForFunction(() => document.querySelector("textarea")?.value === "say hello");
    await page.getByRole("button", { name: "Send" }).click();
    await answers(page).getByText("hello").waitFor();
    await settled(page);
    await page.reload();
    await answers(page).getByText("hello").waitFor();
    assert.equal(await composer(page).inputValue(), "");
    assert.equal(await questions(page).count(), 1);
  },

  async "pictures that were on their way when the page was loaded anew wait for their message, unless it has arrived"(world) {
    const { page } = await signedIn(world);
    const attached = page.getByRole("button", { name: "Remove one.png" });
    await page.locator("input[type=file]").setInputFiles([{ name: "one.png", mimeType: "image/png", buffer: PNG }]);
    await attached.waitFor();
    await page.route("**/api/chat", () => undefined, { times: 1 }); // many megabytes take their time
    await Promise.all([page.waitForRequest("**/api/chat"), say(page, "slowly")]);
    await attached.waitFor({ state: "detached" });
    await page.reload();
    await attached.waitFor();
    assert.equal(await composer(page).inputValue(), "slowly");
    await page.getByRole("button", { name: "Send" }).click();
    await answers(page).getByText("word5").waitFor();
    await page.reload();
    await answers(page).getByText("word5").waitFor();
    await stopButton(page).click();
    await settled(page);
    assert.equal(await questions(page).getByRole("img").count(), 1);
    assert.deepEqual([await composer(page).inputValue(), await attached.count()], ["", 0]);
  },

  async "an edit waits for the answer that is being written, in its form"(world) {
    const { page } = await signedIn(world);
    await say(page, "say one");
    await settled(page);
    await questions(page).first().hover();
    await questions(page).first().getByRole("button", { name: "Edit" }).click();
    const form = page.getByRole("textbox", { name: "Edit" });
    await form.fill("say other");
    await composer(page).fill("slowly");
    await composer(page).press("Enter");
    await answers(page).getByText("word5").waitFor();
    await form.press("Enter");
    await page.getByText("An answer is being written.").waitFor();
    assert.equal(await form.inputValue(), "say other");
    await stopButton(page).click();
    await page.getByRole("button", { name: "Send", exact: true }).waitFor();
    assert.equal(await answers(page).count(), 2);
    await form.press("Enter");
    await answers(page).getByText("other").waitFor();
    await settled(page);
    await asked(page, "say other");
  },

  async "a message that the server took, and could not say so, does not stand in the field once it is in the chat"(world) {
    const { device, page } = await signedIn(world);
    device.allow(/ERR_|Failed to load/);
    await say(page, "say before");
    await settled(page);
    let arrive;
    const lose = async (route) => {
      const request = route.request();
      arrive = async () => fetch(request.url(), { method: "POST", headers: await request.allHeaders(), body: request.postData() });
      await route.abort();
    };
    await page.route("**/api/chat", lose, { times: 1 });
    await say(page, "say heard");
    await page.getByRole("alert").filter({ hasText: "cannot be reached" }).waitFor();
    await (await arrive()).text();
    await answers(page).getByText("heard").waitFor();
    await until(async () => (await composer(page).inputValue()) === "", "it stands in the field");
    await asked(page, "say before", "say heard");
    await say(page, "say heard"); // the same words again are another message
    await until(async () => (await answers(page).count()) === 3, "it is not said again");
    await settled(page);
    await asked(page, "say before", "say heard", "say heard");
  },

  async "what is written to a message that is changed elsewhere is not lost"(world) {
    const { page } = await signedIn(world);
    await say(page, "say one");
    await settled(page);
    const { page: elsewhere } = await signedIn(world);
    await answers(elsewhere).getByText("one").waitFor();
    const forms = [];
    for (const tab of [page, elsewhere]) {
      await questions(tab).first().hover();
      await questions(tab).first().getByRole("button", { name: "Edit" }).click();
      forms.push(tab.getByRole("textbox", { name: "Edit" }));
    }
    await forms[1].fill("say mine");
    await forms[0].fill("say theirs");
    await forms[0].press("Enter");
    await answers(elsewhere).getByText("theirs").waitFor();
    await forms[1].waitFor({ state: "detached" });
    await until(async () => (await composer(elsewhere).inputValue()) === "say mine", "it is lost");
    await elsewhere.getByText("changed elsewhere").waitFor();
    assert.equal(await composer(page).inputValue(), "");
    await page.getByRole("button", { name: "Edit" }).first().click();
    await forms[0].fill("say nothing");
    await forms[0].press("Escape"); // what its writer gives up is given up
    await forms[0].waitFor({ state: "detached" });
    assert.equal(await composer(page).inputValue(), "");
  },
};
