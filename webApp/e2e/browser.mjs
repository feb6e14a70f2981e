// Real Chromium, and pages that may neither complain nor talk to anybody else.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { until } from "./waiting.mjs";

const FLAGS = [
  "--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
  "--disable-gpu", "--disable-dev-shm-usage",
];
const PLACES = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
export const DARK = { colorScheme: "dark" };

export function launch() {
  const executablePath = PLACES.find((place) => place && existsSync(place));
  if (!executablePath) throw new Error("There is no Chromium: install it, or name it in CHROMIUM.");
  return chromium.launch({ executablePath, args: FLAGS });
}

/** A browser profile of its own (a device): `pages` share it, as tabs do. */
export async function openDevice(browser, served, options = {}) {
  const { hosts = [], ...more } = options; // whom else the page may ask
  const address = more.baseURL ?? served;
  const context = await browser.newContext({
    baseURL: address,
    viewport: { width: 1280, height: 800 },
    permissions: ["clipboard-read", "clipboard-write"],
    ...more,
  });
  const complaints = [];
  const allowed = [];
  context.setDefaultTimeout(30_000);
  context.on("request", (request) => {
    if (![address, ...hosts, "data:", "blob:"].some((each) => request.url().startsWith(each))) complaints.push(`asked ${request.url()}`);
  });
  const watch = (page) => {
    page.on("console", (message) => {
      const text = message.text();
      if (message.type() === "error" && !allowed.some((each) => each.test(text))) complaints.push(`console: ${text}`);
    });
    page.on("pageerror", (error) => complaints.push(`threw: ${error.message}`));
  };
  context.on("page", watch);
  return {
    context,
    complaints,
    /** The browser itself complains of answers such as 429: a test that wants them says so. */
    allow: (pattern) => allowed.push(pattern),
    newPage: () => context.newPage(),
    close: () => context.close(),
  };
}

export async function signIn(page, name) {
  await page.goto("/");
  await page.getByLabel("Your name").fill(name);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("textbox", { name: "Message" }).waitFor();
}

/** A device of the test's own user, on the first page. */
export async function signedIn({ open, user }, options) {
  const device = await open(options);
  device.allow(/503/); // of a machine that stalls: the page asks again by itself
  const page = await device.newPage();
  await signIn(page, user);
  return { device, page };
}

export const composer = (page) => page.getByRole("textbox", { name: "Message" });
export const answers = (page) => page.getByRole("article", { name: "Assistant" });
export const questions = (page) => page.getByRole("article", { name: "You" });
export const stopButton = (page) => page.getByRole("button", { name: "Stop" });

export async function say(page, text) {
  await composer(page).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

/** Until nothing is being written any more. */
export async function settled(page) {
  await page.getByRole("button", { name: "Send" }).waitFor();
}

/** Whether these are the questions of the chat, all of them; the text of a message is there once the browser has drawn it. */
export async function asked(page, ...texts) {
  const drawn = async () => (await questions(page).allInnerTexts()).every((text) => text !== "");
  await until(drawn, "the questions are not drawn");
  assert.deepEqual(await questions(page).allInnerTexts(), texts);
}
