// What goes by mistake, and is noticed late.
import assert from "node:assert/strict";
import { violations } from "./axe.mjs";
import { answers, say, settled, signedIn } from "./browser.mjs";
import { until } from "./waiting.mjs";

export const tests = {
  async "a memory that was forgotten is had back from the report, also after a reload, with what said it"(world) {
    const { device, page } = await signedIn(world);
    const { server, user } = world;
    const texts = async () => (await server.as(user, "GET", "/api/memories")).body.memories.map(({ text }) => text);
    const hidden = async () => (await server.as(user, "GET", "/api/memories/audit")).body.counts.hidden_messages;
    const text = "The user lives in Lisbon.";
    await say(page, "I live in Lisbon.");
    await settled(page);
    await answers(page).last().getByText(/Remembered/).waitFor();
    const forget = async () => {
      await page.goto("/memory");
      await page.getByRole("button", { name: `Forget: ${text}` }).click();
      await until(async () => (await texts()).length === 0, "it is still there");
    };

    await forget();
    await page.getByRole("button", { name: "Look over" }).click();
    const row = page.getByRole("listitem").filter({ hasText: text });
    await row.getByText("forgotten just now").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.screenshot({ path: new URL("forgotten.png", world.output).pathname });
    await row.getByRole("button", { name: `Undo: ${text}` }).click();
    await page.getByText("All is in order").waitFor();
    assert.deepEqual([await texts(), await hidden()], [[text], 0]);

    await forget();
    assert.ok((await hidden()) > 0);
    await page.goto("/memory?view=audit"); // the toast is gone
    device.allow(/404/); // what is hidden with a memory does not come back by itself
    await page.getByRole("heading", { name: "Messages that recall passes over" }).waitFor();
    const said = page.getByRole("listitem").filter({ hasText: "I live in Lisbon." }); // which message each of them is
    assert.deepEqual(await violations(page), []);
    await said.getByRole("button", { name: "Undo: I live in Lisbon.", exact: true }).click();
    await page.getByText("It is passed over together with a memory").waitFor();
    await page.getByRole("button", { name: `Undo: ${text}` }).click();
    await page.getByText("All is in order").waitFor();
    assert.deepEqual([await texts(), await hidden()], [[text], 0]);
  },

  async "Escape discards what was written to a memory only when it is pressed twice"(world) {
    const { page } = await signedIn(world);
    await world.server.as(world.user, "POST", "/api/memories", { text: "Lunch is at noon." });
    await page.goto("/memory");
    await page.locator(".row-text").first().click();
    const dialog = page.getByRole("dialog");
    const edit = () => dialog.getByRole("button", { name: "Edit" }).click();
    await edit();
    await page.keyboard.press("Escape"); // nothing was written
    await edit();
    const text = dialog.getByLabel("Text");
    await text.fill("Lunch is at one.");
    await page.keyboard.press("Escape");
    await dialog.getByText("Your changes are not saved.").waitFor();
    assert.equal(await text.inputValue(), "Lunch is at one.");
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Escape");
    await text.waitFor({ state: "detached" });
    await edit(); // the memory is still open
    assert.equal(await text.inputValue(), "Lunch is at noon.");
    await text.fill("Lunch is at two.");
    await page.keyboard.press("Escape");
    await text.pressSequentially(" or three");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText(/^Lunch is at .*three/).waitFor();
  },
};
