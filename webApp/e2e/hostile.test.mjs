// Every text is anybody's: what looks like a page's own code is shown, on every page, and does nothing.
import assert from "node:assert/strict";
import { answers, questions, say, settled, signIn } from "./browser.mjs";
import { until } from "./waiting.mjs";

const CODE = "window.hacked=1";
const PAYLOADS = [
  `<img src=x onerror="${CODE}">`,
  `<script>${CODE}</script>`,
  `<svg onload=${CODE}>`,
  `<iframe srcdoc="<script>parent.${CODE}</script>"></iframe>`,
  `[link](javascript:${CODE})`,
  `<javascript:${CODE}>`,
  `![p](https://evil.example/p.png)`,
  `"><a href="javascript:${CODE}" onclick="${CODE}">x</a>`,
];
const ALL = PAYLOADS.join(" ");
const SHORT = PAYLOADS[0]; // where a name has a limit
const MADE = "img[onerror], img[src*='evil'], svg[onload], iframe, script:not([src]), a[href^='javascript'], [onclick]";

/** A browser that complains of whatever runs: by the console, as it does of what the CSP has stopped. */
async function watchful(open) {
  const device = await open();
  await device.context.addInitScript(() => {
    Object.defineProperty(window, "hacked", { set: () => console.error("HACKED") });
  });
  const page = await device.newPage();
  page.on("dialog", (dialog) => {
    device.complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { device, page };
}

/** The text is there, as text; `where` it may also be far from what was opened, as the user's own name is. */
async function look(page, name, device, where = "main, dialog[open]") {
  await page.waitForFunction((places) => {
    const shown = [...document.querySelectorAll(places)].map((each) => each.textContent);
    const written = [...document.querySelectorAll("input, textarea")].map((each) => each.value);
    return [...shown, ...written].some((each) => each.includes("<img"));
  }, where);
  await page.waitForTimeout(400); // a picture that fails does so a moment later
  assert.equal(await page.locator(MADE).count(), 0, `${name}: text has become elements`);
  assert.deepEqual(device.complaints, [], name);
}

export const tests = {
  async "a script that runs, and one that the policy stops, would be seen by these tests"({ open }) {
    const { device, page } = await watchful(open);
    await page.goto("/");
    await page.getByLabel("Your name").waitFor();
    await page.evaluate((html) => document.body.insertAdjacentHTML("beforeend", html), ALL);
    const isStopped = () => device.complaints.some((each) => /Content Security Policy/.test(each));
    await until(isStopped, "what the policy stops is not seen");
    const made = await page.locator(MADE).count();
    assert.ok(made >= 5, `${made} elements`);
    assert.ok(!device.complaints.some((each) => each.includes("HACKED")), "the policy lets inline code run");
    await page.evaluate("window.hacked = 1");
    assert.ok(device.complaints.some((each) => each.includes("HACKED")), "what runs is not seen");
    device.complaints.length = 0;
  },

  async "hostile texts in every place are text on every page"(world) {
    const { server, open } = world;
    const user = `${world.user} ${SHORT}`;
    const as = (...asked) => server.as(user, ...asked);
    const { device, page } = await watchful(open);
    await signIn(page, user);
    const file = { name: `a${SHORT}.md`, mimeType: "text/markdown", buffer: Buffer.from(`# ${ALL}\n\nThe shed ${ALL}\n`) };
    await as("POST", "/api/account/tokens", { name: SHORT, scopes: ["memory"], expires_in_days: 1 });
    await as("POST", "/api/memories", { text: ALL, tags: [SHORT], triple: { subject: SHORT, predicate: SHORT, object: ALL } });

    await page.goto("/knowledge");
    await page.locator("input[type=file]").setInputFiles([file]);
    await page.getByText("Ready", { exact: true }).waitFor();
    await look(page, "knowledge", device);

    await page.goto("/");
    await page.locator("input[type=file]").setInputFiles([{ name: `${SHORT}.png`, mimeType: "image/png", buffer: Buffer.from("GIF89a") }]);
    await page.getByRole("button", { name: /^Remove/ }).click();
    for (const text of [`say ${ALL}`, `remember ${ALL}`, `look up ${ALL}`, `I live in ${SHORT}.`]) {
      await say(page, text);
      await settled(page);
    }
    assert.equal(await answers(page).count(), 4);
    for (const fold of await page.locator("details.tool > summary, .answer-memory-head").all()) await fold.click();
    await look(page, "chat", device);
    const [session] = (await as("GET", "/api/sessions")).body.sessions;
    await as("PATCH", `/api/sessions/${session.session_id}`, { title: SHORT });
    await page.reload();
    await answers(page).first().waitFor();
    assert.equal(await questions(page).count(), 4);
    for (const link of await page.locator(".answer a").all()) assert.match((await link.getAttribute("href")) ?? "", /^(https?:|\/|#|$)/);
    await page.getByRole("button", { name: "What the model reads" }).click();
    await page.locator(".context-parts summary").first().waitFor();
    for (const part of await page.locator(".context-parts summary").all()) await part.click();
    await look(page, "what the model reads, with its summary", device);
    await page.keyboard.press("Escape");
    await page.getByLabel("Search conversations").fill("hacked");
    await page.getByText("1 conversation").first().waitFor();
    await look(page, "search", device, "body");
    await page.locator(".layout > .sidebar").getByRole("button", { name: "Clear the search" }).click();
    await page.locator(".layout > .sidebar").getByRole("button", { name: `More for ${SHORT}` }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await page.getByText(`${SHORT} was archived.`).first().waitFor();
    await look(page, "a message about a title", device, "body");

    for (const path of ["/memory", "/memory?view=audit", "/notes", "/graph", "/usage", "/account", `/memory?q=${encodeURIComponent(ALL)}`, `/?message=${encodeURIComponent(ALL)}`]) {
      if (path.startsWith("/?")) device.allow(/422/); // it is no message's id
      await page.goto(path);
      await page.locator("h1, .composer").first().waitFor();
      await look(page, path, device, ["/memory", "/notes", "/graph", "/account"].includes(path) ? undefined : "body");
    }
    await page.goto("/graph");
    await page.getByRole("button", { name: "List" }).click();
    await look(page, "the graph as a list", device);
    await page.goto("/memory");
    await page.locator(".row-text").first().click();
    await page.getByRole("dialog").waitFor();
    await look(page, "one memory", device);
    await page.goto("/notes");
    await page.getByRole("button", { name: /^Version 1/ }).click();
    await page.getByRole("dialog").getByText("onerror").first().waitFor();
    await look(page, "a version of the notes", device);
  },
};
