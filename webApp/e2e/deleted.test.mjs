// Conversations that are deleted, here or elsewhere, and what was being written in them.
import assert from "node:assert/strict";
import { answers, composer, say, settled, signedIn } from "./browser.mjs";
import { choose, listed, make, row } from "./list.mjs";
import { until, wait } from "./waiting.mjs";

export const tests = {
  async "a deleted conversation can be taken back, and is gone when it is not"(world) {
    const { page } = await signedIn(world);
    for (const title of ["Alpha", "Beta", "Gamma"]) await make(world, title);
    await row(page, "Gamma").waitFor();
    await choose(page, "Beta", "Delete");
    await row(page, "Beta").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await row(page, "Beta").waitFor();
    await row(page, "Alpha").focus();
    await page.keyboard.press("Delete");
    await row(page, "Alpha").waitFor({ state: "detached" });
    await page.reload(); // the tab that could have taken it back is gone
    await row(page, "Beta").waitFor();
    await until(async () => !(await listed(world)).some(({ title }) => title === "Alpha"), "Alpha is still there");
    assert.equal(await row(page, "Alpha").count(), 0);
    assert.ok((await listed(world)).some(({ title }) => title === "Beta"));
  },

  async "a conversation that is spoken in elsewhere after it was deleted is not deleted"(world) {
    const { page } = await signedIn(world);
    await say(page, "say first words");
    await settled(page);
    await row(page, "first words").waitFor();
    const { page: elsewhere } = await signedIn(world);
    await answers(elsewhere).getByText("first words").waitFor();
    await row(page, "first words").focus();
    await page.keyboard.press("Delete");
    await row(page, "first words").waitFor({ state: "detached" });
    await say(elsewhere, "say something more");
    await page.getByText("was not deleted: something was said in it meanwhile.").waitFor();
    await row(page, "first words").waitFor();
    assert.equal(await page.getByRole("button", { name: "Undo" }).count(), 0);
    await wait(11_000); // its time is over
    await answers(elsewhere).getByText("something more").waitFor();
    assert.ok((await listed(world)).some(({ title }) => title.includes("first words")));
  },

  async "the open conversation that is deleted gives way to another, here and elsewhere"(world) {
    const { page } = await signedIn(world);
    await say(page, "say first words");
    await settled(page);
    await row(page, "first words").waitFor();
    const { page: elsewhere } = await signedIn(world);
    await answers(elsewhere).getByText("first words").waitFor();
    const [session] = await listed(world);
    await world.server.as(world.user, "DELETE", `/api/sessions/${session.session_id}`);
    for (const tab of [page, elsewhere]) {
      await tab.getByText("What is on your mind?").waitFor();
      await row(tab, "first words").waitFor({ state: "detached" });
    }
  },

  async "what was being written in a chat that is deleted elsewhere is there in the next"(world) {
    const { page } = await signedIn(world);
    await say(page, "say first words");
    await settled(page);
    await row(page, "first words").waitFor();
    await composer(page).fill("a long letter");
    const picture = { name: "a.png", mimeType: "image/png", buffer: Buffer.from("iVBORw0KGgo=", "base64") };
    await page.locator(".composer input[type=file]").setInputFiles(picture);
    await page.getByRole("button", { name: "Remove a.png" }).waitFor();
    const [session] = await listed(world);
    await world.server.as(world.user, "DELETE", `/api/sessions/${session.session_id}`);
    await page.getByText("What you were writing is in the field below.").waitFor();
    await until(async () => (await composer(page).inputValue()) === "a long letter", "the words are gone");
    await page.getByRole("button", { name: "Remove a.png" }).waitFor();
    assert.equal(await answers(page).count(), 0);
    const kept = await page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith("chatDraft_")));
    assert.equal(kept.length, 1, "and in no other place");
  },

  async "of what was erased elsewhere nothing stays on the screen, neither a title nor a draft"(world) {
    const { device, page } = await signedIn(world);
    device.allow(/404/);
    await say(page, "say first words");
    await settled(page);
    await page.getByRole("heading", { level: 1, name: /first words/ }).waitFor();
    await composer(page).fill("a draft");
    await world.server.as(world.user, "DELETE", "/api/account/data");
    await page.getByRole("heading", { level: 1, name: "New chat" }).waitFor();
    await until(async () => (await composer(page).inputValue()) === "", "the draft is still there");
    assert.ok(!(await page.title()).includes("first words"));
    assert.ok(!(await page.content()).includes("first words"));
    assert.ok(!(await page.evaluate(() => JSON.stringify({ ...localStorage }))).includes("a draft"));
    await say(page, "say other words");
    await answers(page).getByText("other words").waitFor();
  },
};
