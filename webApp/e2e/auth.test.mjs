// Signing in at Supabase, in a browser, with a stand-in for its server: what the page and chatServer do is real.
import assert from "node:assert/strict";
import { startAuth } from "./auth.mjs";
import { violations } from "./axe.mjs";
import { answers, composer, say, settled } from "./browser.mjs";
import { script } from "./script.mjs";
import { startServer } from "./server.mjs";
import { until } from "./waiting.mjs";

const TYPED = "not-a-real-one-7";

let running = null; // for all tests of this file: an issuer, and a server that believes it

async function begin() {
  const auth = await startAuth();
  const settings = { AUTH_MODE: "supabase", SUPABASE_URL: auth.address, SUPABASE_PUBLISHABLE_KEY: "sb_publishable_x" };
  try {
    return { auth, server: await startServer(script, settings) };
  } catch (error) {
    await auth.end();
    throw error;
  }
}

export async function end() {
  const begun = await running?.catch(() => null);
  await begun?.server.end();
  await begun?.auth.end();
}

/** A browser that may ask these two. */
async function opened({ open }) {
  const { auth, server } = await (running ??= begin());
  const device = await open({ baseURL: server.address, hosts: [auth.address] });
  device.allow(/503/); // of a machine that stalls: the page asks again by itself
  const page = await device.newPage();
  const refreshes = [];
  page.on("request", (request) => request.url().includes("grant_type=refresh_token") && refreshes.push(request.url()));
  await page.goto("/");
  await page.getByLabel("Email").waitFor();
  return { auth, server, device, page, refreshes };
}

const button = (page, name) => page.getByRole("button", { name, exact: true });

async function signUp(page, email) {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(TYPED);
  await button(page, "Create an account").click();
  await composer(page).waitFor();
}

async function signOut(page) {
  await page.goto("/account");
  await button(page, "Sign out").click();
  await page.getByLabel("Email").waitFor();
}

/** The session as supabase-js keeps it. */
const kept = (page) =>
  page.evaluate(() => {
    const key = Object.keys(localStorage).find((each) => /^sb-.*-auth-token$/.test(each));
    return key ? { key, ...JSON.parse(localStorage.getItem(key)) } : null;
  });

export const tests = {
  async "Supabase (a stand-in): by password, refused with its sentence when wrong, and signed out without a trace"(world) {
    const { auth, device, page, server } = await opened(world);
    assert.deepEqual(await violations(page), []);
    await signUp(page, "ada@example.org");
    await say(page, "say the cat is Minka");
    await answers(page).getByText("the cat is Minka").waitFor();
    await settled(page);
    await composer(page).fill("a draft that is nobody's business");
    await signOut(page);
    const left = await page.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage), document.cookie]);
    assert.deepEqual([left[0].filter((each) => !/theme/i.test(each)), left[1], left[2]], [[], [], ""]);
    assert.equal(await page.getByText("Minka").count(), 0);
    await page.goBack();
    await page.getByLabel("Email").waitFor();

    device.allow(/400/);
    await page.getByLabel("Email").fill("ada@example.org");
    await page.getByLabel("Password").fill("wrong");
    await button(page, "Sign in").click();
    await page.getByText("Invalid login credentials").waitFor();
    await page.getByLabel("Password").fill(TYPED);
    await button(page, "Sign in").click();
    await composer(page).or(button(page, "Sign out")).first().waitFor();
    await page.goto("/");
    await answers(page).getByText("the cat is Minka").waitFor();
    assert.equal(await composer(page).inputValue(), "", "the draft was forgotten");

    // The policy lets the page ask its own server and this issuer, and nobody else: not even the next port.
    const policy = (await fetch(server.address)).headers.get("content-security-policy");
    assert.match(policy, new RegExp(`connect-src 'self' ${auth.address};`));
    device.allow(/Content Security Policy|Failed to fetch|Fetch API cannot load/);
    const refused = page.evaluate(
      () => new Promise((resolve) => addEventListener("securitypolicyviolation", (event) => resolve([event.effectiveDirective, event.blockedURI]), { once: true })),
    );
    await page.evaluate(() => fetch("http://127.0.0.1:9/").catch(() => undefined));
    assert.deepEqual(await refused, ["connect-src", "http://127.0.0.1:9/"]);
  },

  async "Supabase (a stand-in): as a guest, with a token that runs out in mid-answer"(world) {
    const { page, refreshes } = await opened(world);
    await button(page, "Try it without an account").click();
    await composer(page).waitFor();
    await page.getByText("Guest").first().waitFor();
    await say(page, "slowly, please");
    await answers(page).getByText("word3").waitFor();
    const before = await kept(page);
    assert.equal(before.user.is_anonymous, true);
    await page.evaluate(([key]) => {
      const session = JSON.parse(localStorage.getItem(key));
      localStorage.setItem(key, JSON.stringify({ ...session, expires_at: 1 })); // as an hour would do it
    }, [before.key]);
    await answers(page).getByText("word149").waitFor();
    await settled(page);
    await say(page, "say still here");
    await answers(page).last().getByText("still here").waitFor();
    await until(() => refreshes.length > 0, "the token is renewed");
    const after = await kept(page);
    assert.notEqual(after.refresh_token, before.refresh_token);
    assert.equal(after.user.id, before.user.id);
    assert.equal(refreshes.length, 1, "once, though several requests wanted it");
    await page.reload();
    await answers(page).last().getByText("still here").waitFor();
    assert.equal(await answers(page).count(), 2, "nothing lost, nothing twice");
  },

  async "Supabase (a stand-in): by the link in a mail, which leaves no token in the address"(world) {
    const { auth, page } = await opened(world);
    await page.getByLabel("Email").fill("eve@example.org");
    await button(page, "Send me a link instead").click();
    await page.getByText("Look into your mailbox").waitFor();
    await page.goto(await auth.link("eve@example.org"));
    await composer(page).waitFor();
    await page.getByText("eve@example.org").first().waitFor();
    await until(() => !/token|code/.test(page.url()), "the address is clean");
    await say(page, "say hello Eve");
    await answers(page).getByText("hello Eve").waitFor();
    await settled(page);
    await signOut(page);
    assert.equal(await kept(page), null);
  },

  async "Supabase (a stand-in): a link that somebody else has made signs nobody in"(world) {
    const { auth, page } = await opened(world);
    const made = await fetch(`${auth.address}/signup`, { method: "POST", body: JSON.stringify({ email: "mallory@example.org", password: TYPED }) });
    const { access_token, refresh_token, expires_in, token_type } = await made.json();
    const tokens = new URLSearchParams({ access_token, refresh_token, expires_in, token_type, type: "magiclink" });
    await page.goto("about:blank"); // else only what is behind the # would change, and nothing be loaded
    await page.goto(`/#${tokens}`);
    await page.getByLabel("Email").waitFor();
    assert.equal(await kept(page), null);
  },

  async "Supabase (a stand-in): a sign-out that the issuer never hears of is one in every tab, and the next sign-in holds"(world) {
    const { auth, device, page } = await opened(world);
    device.allow(/ERR_|Failed to load/);
    await signUp(page, "gus@example.org");
    const other = await device.newPage();
    await other.goto("/notes");
    await other.getByRole("textbox", { name: "Notes" }).fill("a page that is nobody's business");
    const keptByOther = () => other.evaluate(() => sessionStorage.length);
    await until(async () => (await keptByOther()) > 0, "what was written is kept");
    await page.route(`${auth.address}/**/logout*`, () => undefined); // it never answers
    await signOut(page);
    await other.getByText("You are signed out.").waitFor();
    await until(async () => (await keptByOther()) === 0, "what was written is forgotten");
    await page.goto("/");
    await signUp(page, "hal@example.org");
    await other.getByText("hal@example.org").first().waitFor();
    await say(page, "say hello Hal");
    await answers(page).getByText("hello Hal").waitFor();
    assert.equal((await kept(page)).user.email, "hal@example.org");
  },

  async "Supabase (a stand-in): a session that is over leads to the sign-in, and back to where one was"(world) {
    const { device, page } = await opened(world);
    device.allow(/400|401/);
    await signUp(page, "ida@example.org");
    await say(page, "say hello");
    await answers(page).getByText("hello").waitFor();
    await settled(page);
    await composer(page).fill("half a sentence");
    await page.goto("/notes");
    await page.getByRole("textbox", { name: "Notes" }).waitFor();
    const { key } = await kept(page);
    await page.evaluate((name) => {
      const session = JSON.parse(localStorage.getItem(name));
      localStorage.setItem(name, JSON.stringify({ ...session, access_token: "over", refresh_token: "over" }));
    }, key);
    await page.reload(); // whatever the page has asked by itself meanwhile: this comes to the same
    await page.getByText("You are signed out.").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.screenshot({ path: new URL("signed-out.png", world.output).pathname });
    await page.getByLabel("Email").fill("ida@example.org");
    await page.getByLabel("Password").fill(TYPED);
    await button(page, "Sign in").click();
    await page.getByRole("textbox", { name: "Notes" }).waitFor();
    await page.goto("/");
    await answers(page).getByText("hello").waitFor();
    await until(async () => (await composer(page).inputValue()) === "half a sentence", "what was being written is there");
  },

  async "Supabase (a stand-in): where a sign-in cannot be renewed there is a way to sign in again, and the message waits"(world) {
    const { auth, device, page } = await opened(world);
    device.allow(/401|429/);
    await signUp(page, "jon@example.org");
    await say(page, "say hello");
    await answers(page).getByText("hello").waitFor();
    await settled(page);
    await page.route(`${auth.address}/**/token?grant_type=refresh_token`, (route) =>
      route.fulfill({ status: 429, headers: { "access-control-allow-origin": "*" }, json: { code: "over_request_rate_limit", msg: "Too many" } }),
    );
    const { key } = await kept(page);
    await page.evaluate((name) => {
      localStorage.setItem(name, JSON.stringify({ ...JSON.parse(localStorage.getItem(name)), access_token: "over" }));
    }, key);
    await say(page, "say what I wrote");
    const notice = page.getByRole("log").locator(".error-card");
    await notice.getByRole("alert").filter({ hasText: "could not be renewed" }).waitFor();
    await button(notice, "Try again").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.screenshot({ path: new URL("not-renewed.png", world.output).pathname });
    await button(notice, "Sign in again").click();
    await page.getByText("You are signed out.").waitFor();
    await page.getByLabel("Email").fill("jon@example.org");
    await page.getByLabel("Password").fill(TYPED);
    await button(page, "Sign in").click();
    await answers(page).getByText("hello").waitFor();
    await until(async () => (await composer(page).inputValue()) === "say what I wrote", "what was not sent is there");
    await button(page, "Send").click();
    await answers(page).getByText("what I wrote").waitFor();
  },
};
