// @vitest-environment jsdom
import { beforeEach, expect, test, vi } from "vitest";
import { authorizedFetch, call } from "../api/client";
import { strings } from "../strings";
import type { LocalSignIn } from "./localSignIn";
import type { Bearer } from "./signIn";
import { useAuthStore } from "./useAuthStore";

const tokenOf = (sub: string, more = "") => `head.${btoa(JSON.stringify({ sub }))}.${more}`;
const bearer = (id: string, token = tokenOf(id)): Bearer => ({ user: { id, name: id, isAnonymous: false }, token });
const store = () => useAuthStore.getState();
const passed = () => new Promise((resolve) => setTimeout(resolve)); // whatever is only promised is kept
const signedOut = { user: null, error: { detail: strings.errors.signedOut } };
let answer: (token: string | null) => Response | Promise<Response>;

async function enter(token: string): Promise<void> {
  store().entered(await (store().signIn as LocalSignIn).enter(token));
}

/** What the tabs share, changed by another one. */
const keepSignIn = (kept: Bearer) => localStorage.setItem("chatSignIn", JSON.stringify({ ...kept, expiresAt: 9e15 }));
/** What the browser tells of it, sooner or later. */
async function told(key: string | null) {
  dispatchEvent(new StorageEvent("storage", { key }));
  await passed();
}

function draft(id: string): void {
  localStorage.setItem(`chatDraft_${id}_s`, "half a sentence");
  sessionStorage.setItem(`notesDraft_${id}_a`, "half a page");
}
const drafts = (id: string) => [localStorage.getItem(`chatDraft_${id}_s`), sessionStorage.getItem(`notesDraft_${id}_a`)];
const written = ["half a sentence", "half a page"];

beforeEach(async () => {
  answer = (token) => (token?.endsWith("ended") ? Response.json({ code: "unauthenticated", detail: "No." }, { status: 401 }) : Response.json({ agents: [] }));
  vi.stubGlobal("fetch", (url: string, init: RequestInit) =>
    url === "/api/client"
      ? Response.json({ sign_in: "token", supabase: null, version: "1" })
      : answer(new Headers(init.headers).get("authorization")),
  );
  await store().restore();
  await store().signOut();
});

/** Signed in with a token that the server takes no more. */
async function refused(): Promise<void> {
  await enter(tokenOf("ada"));
  draft("ada");
  keepSignIn(bearer("ada", tokenOf("ada", "ended")));
  await expect(call("get", "/api/agents")).rejects.toMatchObject({ status: 401 });
  await passed();
}

test("who is refused comes to the door, which says why, and finds the drafts behind it", async () => {
  await refused();
  expect(store()).toMatchObject({ status: "ready", ...signedOut });
  await told("chatSignIn"); // no news: the token is the refused one
  expect(store().user).toBeNull();
  await enter(tokenOf("ada", "fresh"));
  expect(store()).toMatchObject({ user: { id: "ada" }, error: null });
  expect(drafts("ada")).toEqual(written);
});

test("who signs in again by himself leaves the old sign-in at the door, and finds the drafts behind it", async () => {
  await enter(tokenOf("ada"));
  draft("ada");
  store().signInAgain();
  await told("chatSignIn");
  expect(store()).toMatchObject({ status: "ready", ...signedOut });
  expect(localStorage.getItem("chatSignIn")).toBeNull();
  await enter(tokenOf("ada", "fresh"));
  expect(store()).toMatchObject({ user: { id: "ada" }, error: null });
  expect(drafts("ada")).toEqual(written);
});

test("whoever comes instead does not find them, and keeps their own", async () => {
  await refused();
  draft("eve");
  await enter(tokenOf("eve"));
  expect(drafts("ada")).toEqual([null, null]);
  expect(drafts("eve")).toEqual(written);
});

test("a refusal that comes late ends nobody else's sign-in", async () => {
  let late!: (response: Response) => void;
  await enter(tokenOf("ada"));
  answer = () => new Promise((resolve) => (late = resolve));
  const asked = expect(authorizedFetch("/api/agents")).rejects.toMatchObject({ status: 401 });
  await passed();
  answer = () => Response.json({ agents: [] });
  await enter(tokenOf("eve"));
  late(Response.json({}, { status: 401 }));
  await asked;
  await passed();
  expect(store()).toMatchObject({ user: { id: "eve" }, error: null });
});

test("somebody else's sign-in in another tab is one here too, and stays", async () => {
  await enter(tokenOf("ada"));
  draft("ada");
  keepSignIn(bearer("eve"));
  draft("eve");
  const kept = localStorage.getItem("chatSignIn");
  await told("chatSignIn");
  expect(store().user?.id).toBe("eve");
  expect(localStorage.getItem("chatSignIn")).toBe(kept);
  expect([drafts("ada"), drafts("eve")]).toEqual([[null, null], written]);
});

test("a sign-out in another tab is one here, and takes what only this tab kept", async () => {
  await enter(tokenOf("ada"));
  draft("ada");
  localStorage.clear();
  await told(null);
  expect(store()).toMatchObject(signedOut);
  expect(drafts("ada")).toEqual([null, null]);
});

test("a sign-out in another tab that is told of after the next sign-in there takes nothing of it", async () => {
  await enter(tokenOf("ada"));
  localStorage.clear();
  keepSignIn(bearer("eve"));
  localStorage.setItem("chatDraft_eve_s", "hers");
  const kept = { ...localStorage };
  for (const key of ["chatSignIn", null, "chatSignIn"]) await told(key);
  expect(store()).toMatchObject({ user: { id: "eve" }, error: null });
  expect({ ...localStorage }).toEqual(kept);
});

test("what was asked before a sign-in or a sign-out is answered too late to undo it", async () => {
  const signIn = store().signIn as LocalSignIn;
  const found: ((bearer: Bearer | null) => void)[] = [];
  useAuthStore.setState({ signIn: { ...signIn, restore: () => new Promise((resolve) => found.push(resolve)) } });
  await told("chatSignIn");
  await enter(tokenOf("ada"));
  found[0]!(null);
  await passed();
  expect(store().user?.id).toBe("ada");

  for (let times = 0; times < 3; times++) await told("chatSignIn");
  found[2]!(bearer("eve"));
  await passed();
  found[1]!(bearer("ada"));
  await passed();
  expect(store().user?.id).toBe("eve"); // the later question knows better

  await store().signOut();
  found[3]!(bearer("eve"));
  await passed();
  expect(store()).toMatchObject({ user: null, error: null });
  useAuthStore.setState({ signIn });
});

test("who cannot be asked ends nothing", async () => {
  await enter(tokenOf("ada"));
  const signIn = store().signIn as LocalSignIn;
  useAuthStore.setState({ signIn: { ...signIn, restore: () => Promise.reject(new TypeError("network")) } });
  await told("chatSignIn");
  useAuthStore.setState({ signIn });
  expect(store().user?.id).toBe("ada");
});

test("an issuer that does not answer keeps nobody signed in", async () => {
  await enter(tokenOf("ada"));
  const signIn = store().signIn as LocalSignIn;
  useAuthStore.setState({ signIn: { ...signIn, signOut: () => new Promise(() => undefined) } });
  vi.useFakeTimers();
  void store().signOut();
  await vi.advanceTimersByTimeAsync(3_000);
  vi.useRealTimers();
  useAuthStore.setState({ signIn });
  expect(store().user).toBeNull();
  expect(localStorage).toHaveLength(0);
});

test("a token that names nobody is refused at the door", async () => {
  await expect(enter("pat_notOfASignIn")).rejects.toMatchObject({ detail: strings.auth.noAccessToken });
  expect(store().user).toBeNull();
  expect(localStorage.getItem("chatSignIn")).toBeNull();
});
