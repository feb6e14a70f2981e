// Links to the message that something came from.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { answers, asked, questions, say, settled, signIn } from "./browser.mjs";
import { longSession } from "./long-session.mjs";

const spot = (page) => page.locator('.message[data-spot="true"]');

/** In the middle of what is seen of the conversation, by its visible part. */
const isInSight = (page, id) =>
  page.waitForFunction((wanted) => {
    const found = document.querySelector(`[data-message="${wanted}"]`)?.getBoundingClientRect();
    const seen = document.querySelector(".log-scroll").getBoundingClientRect();
    return found && found.top >= seen.top && found.bottom <= seen.bottom;
  }, id);

export const tests = {
  async "a message that an answer used is forgotten by one click, stays in its chat, and can be had back"({ server, open, user }) {
    const device = await open();
    const page = await device.newPage();
    await signIn(page, user);
    const said = "Between us: walnut blossom opens the shed at the allotment.";
    await say(page, said);
    await settled(page);
    await page.getByRole("button", { name: "New chat" }).first().click();
    await answers(page).first().waitFor({ state: "detached" });
    await say(page, "What opens the shed at the allotment?");
    await answers(page).last().getByText(/Looked at \d/).waitFor();
    await settled(page);
    const hidden = async () => (await server.as(user, "GET", "/api/memories/audit")).body.counts.hidden_messages;
    await answers(page).last().getByText(/Looked at \d/).click();
    const line = page.getByRole("list", { name: "Looked at for this answer" }).getByRole("listitem").filter({ hasText: "walnut" }).first();
    assert.equal(await line.getByRole("button", { name: "Wrong" }).count(), 0);
    await line.getByRole("button", { name: "Forget" }).click();
    await line.getByText("No longer used for answers. It stays in its chat.").waitFor();
    assert.equal(await hidden(), 1);
    await line.getByRole("button", { name: "Undo" }).click();
    await line.getByRole("button", { name: "Forget" }).waitFor();
    assert.equal(await hidden(), 0);
    await line.getByRole("button", { name: "said in" }).click();
    await spot(page).getByText(said).waitFor();
    await page.goBack();
    await questions(page).getByText("What opens the shed at the allotment?").waitFor();
    await page.goForward();
    await questions(page).getByText(said).waitFor();
    assert.equal(await questions(page).count(), 1);
  },

  async "an address leads to a message of long ago, marks it for a moment, and leaves the reader there"({ server, open, user, output }) {
    const account = longSession(600);
    const device = await open();
    const page = await device.newPage();
    await signIn(page, user);
    assert.equal((await server.as(user, "POST", "/api/account/import", account)).status, 200);
    await page.reload();
    await page.getByRole("button", { name: "A long one", exact: true }).click();
    await answers(page).last().getByText("Answer 599").waitFor();
    const { message_id: early } = account.messages[41];
    await page.goto(`/?message=${early}`);
    await spot(page).getByText("Answer 41.").waitFor();
    await page.screenshot({ path: new URL("spot.png", output).pathname });
    await isInSight(page, early);
    assert.equal(new URL(page.url()).searchParams.get("message"), null);
    assert.equal(await page.evaluate(() => document.activeElement.dataset.message), early);
    await spot(page).waitFor({ state: "detached" });
    await isInSight(page, early);
    const told = account.messages.map((each) => each.message_id);
    const from = async () => {
      const shown = await page.locator(".message").evaluateAll((all) => all.map((each) => each.dataset.message));
      const first = told.indexOf(shown[0]);
      assert.deepEqual(shown, told.slice(first, first + shown.length), "nothing is left out, and nothing is there twice");
      return { first, count: shown.length };
    };
    const there = await from();
    assert.ok(there.count < 400, `${there.count} are shown: no way of pages was taken`);

    // Down to the end by hand, page after page: it is the same conversation then.
    await page.locator(".log-scroll").hover();
    for (let i = 0; i < 600 && (await page.getByRole("button", { name: "Later messages" }).count()); i++) {
      await page.mouse.wheel(0, 3_000);
      await page.waitForTimeout(30);
    }
    const { first, count } = await from();
    assert.equal(first + count, 600);
    assert.ok(first <= there.first);

    // And by the button, and by saying something.
    await page.goto(`/?message=${early}`);
    await spot(page).getByText("Answer 41.").waitFor();
    await page.getByRole("button", { name: "Go to the newest message" }).click();
    await answers(page).last().getByText("Answer 599").waitFor();
    assert.equal((await from()).first, 550);
    await page.goto(`/?message=${early}`);
    await spot(page).getByText("Answer 41.").waitFor();
    await say(page, "say from far back");
    await answers(page).last().getByText("from far back").waitFor();
    await settled(page);
    const end = await page.locator(".message").evaluateAll((all) => all.slice(-3).map((each) => each.textContent));
    assert.match(end.join("|"), /^Answer 599.*\|say from far back\|.*from far back/);

    device.allow(/404/);
    await page.goto(`/?message=${randomUUID()}`);
    await page.getByText("What was said there is gone.").waitFor();
    await answers(page).last().getByText("from far back").waitFor();

    device.allow(/404|ERR_FAILED/);
    await page.route(/\/messages\?.*around=/, (route) => route.abort());
    await page.goto(`/?message=${early}`);
    await page.getByText("The server cannot be reached.").waitFor();
    await answers(page).last().getByText("from far back").waitFor();
    assert.equal(new URL(page.url()).searchParams.get("message"), null);
  },

  async "far back a message is edited and an answer made anew, and another device that reads there is led to the new end"({ server, open, user }) {
    const account = longSession(400);
    const device = await open();
    const page = await device.newPage();
    await signIn(page, user);
    assert.equal((await server.as(user, "POST", "/api/account/import", account)).status, 200);
    const [{ session_id }] = account.sessions;
    const far = (place) => `/?chat=${session_id}&message=${account.messages[place].message_id}`;
    const elsewhere = await (await open()).newPage();
    await signIn(elsewhere, user);
    await elsewhere.goto(far(120));
    await spot(elsewhere).getByText("Question 120?").waitFor();
    await page.goto(far(100));
    await spot(page).getByText("Question 100?").waitFor();
    await spot(page).getByRole("button", { name: "Edit" }).click();
    await page.getByText("What follows will be replaced by the new answer.").waitFor();
    await page.getByRole("textbox", { name: "Edit" }).fill("say something else");
    const told = elsewhere.getByText("The conversation was changed elsewhere.").waitFor();
    await page.keyboard.press("Enter");
    await told;
    for (const each of [page, elsewhere]) {
      await answers(each).last().getByText("something else").waitFor();
      assert.equal(await questions(each).getByText("Question 102?").count(), 0);
    }
    await settled(page);
    const shown = () => page.locator(".message").evaluateAll((all) => all.map((each) => each.textContent));
    assert.match((await shown()).slice(-3).join("|"), /^Answer 99\..*\|say something else\|.*something else/);
    await page.goto(far(21));
    const early = page.locator(`[data-message="${account.messages[21].message_id}"]`);
    await early.getByText("Answer 21.").waitFor();
    await early.getByRole("button", { name: "Answer again" }).click();
    await early.getByText("What follows will be replaced by the new answer.").waitFor();
    await early.getByRole("button", { name: "Answer again" }).click();
    await answers(page).last().getByText("I heard you.").waitFor();
    await settled(page);
    assert.match((await shown()).slice(-2).join("|"), /^Question 20\?\|.*I heard you\./);
  },

  async "a search shows the line that it found, and leads to it, however far back"({ server, open, user, output }) {
    const account = longSession(400);
    account.messages[20].message.data.content = "Where did we bury the treasure chest?";
    const device = await open();
    const page = await device.newPage();
    await signIn(page, user);
    assert.equal((await server.as(user, "POST", "/api/account/import", account)).status, 200);
    await say(page, "say the other chat");
    await settled(page);
    await page.getByRole("searchbox").fill("chest treasure");
    const row = page.locator(".session-row").filter({ hasText: "A long one" });
    await row.getByText("Where did we bury the treasure chest?").waitFor();
    assert.deepEqual(await row.locator("mark").allInnerTexts(), ["treasure", "chest"]);
    assert.equal(await page.locator(".session-row").count(), 1);
    await page.screenshot({ path: new URL("search.png", output).pathname });
    await row.getByRole("button").first().click();
    await spot(page).getByText("Where did we bury the treasure chest?").waitFor();
    await isInSight(page, account.messages[20].message_id);
    await page.screenshot({ path: new URL("search-2.png", output).pathname });
    await page.goBack();
    await questions(page).getByText("say the other chat").waitFor();
    await row.getByRole("button").first().click(); // the same hit again
    await spot(page).getByText("Where did we bury the treasure chest?").waitFor();
    await row.getByRole("button").first().click(); // and while it is open
    await spot(page).getByText("Where did we bury the treasure chest?").waitFor();
    assert.equal(new URL(page.url()).searchParams.get("message"), null);
  },

  async "what was said a moment ago is there once when a search leads to it"({ open, user }) {
    const device = await open();
    const page = await device.newPage();
    await signIn(page, user);
    const said = ["Our apricots are ripe.", "Our plums are not."];
    for (const [place, text] of said.entries()) {
      await say(page, text);
      await answers(page).nth(place).getByText("I heard you.").waitFor();
      await settled(page);
    }
    await page.getByRole("searchbox").fill("apricots");
    await page.locator(".session-found").first().click();
    await spot(page).getByText("Our apricots").waitFor();
    await asked(page, ...said);
  },

  async "a memory leads to what was said, in a conversation that is not open, also without motion"({ open, user, output }) {
    const device = await open({ reducedMotion: "reduce" });
    const page = await device.newPage();
    await signIn(page, user);
    await say(page, "My sister Mary lives in Porto.");
    await settled(page);
    await answers(page).last().getByText(/Remembered/).waitFor();
    await page.getByRole("button", { name: "New chat" }).first().click();
    await answers(page).first().waitFor({ state: "detached" });
    await page.goto("/memory");
    await page.locator(".row-text").first().click();
    await page.getByRole("dialog").getByRole("button", { name: "Open the chat" }).click();
    await spot(page).getByText("My sister Mary lives in Porto.").waitFor();
    assert.equal(await spot(page).evaluate((each) => getComputedStyle(each).animationName), "none");
    assert.equal(await questions(page).count(), 1);
    await page.screenshot({ path: new URL("spot-2.png", output).pathname });
  },
};
