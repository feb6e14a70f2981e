// @vitest-environment jsdom
import { beforeEach, expect, test, vi } from "vitest";
import { call } from "../api/client";
import { strings } from "../strings";
import type { LocalSignIn } from "./localSignIn";
import { useAuthStore } from "./useAuthStore";

const tokenOf = (sub: string, more = "") => `head.${btoa(JSON.stringify({ sub }))}.${more}`;
const refused = (token: string) => token.endsWith("ended");
const store = () => useAuthStore.getState();

async function enter(token: string): Promise<void> {
  store().entered(await (store().signIn as LocalSignIn).enter(token));
}

/** What another tab has done, as the browser tells of it. */
const elsewhere = (key: string | null) => dispatchEvent(new StorageEvent("storage", { key }));

function draft(): void {
  localStorage.setItem("chatDraft_s", "half a sentence");
  sessionStorage.setItem("notesDraft_ada_a", "half a page");
}
const drafts = () => [localStorage.getItem("chatDraft_s"), sessionStorage.getItem("notesDraft_ada_a")];

beforeEach(async () => {
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    if (url === "/api/client") return Response.json({ sign_in: "token", supabase: null, version: "1" });
    const isRefused = refused(new Headers(init.headers).get("authorization") ?? "ended");
    return isRefused ? Response.json({ code: "unauthenticated", detail: "No longer." }, { status: 401 }) : Response.json({ agents: [] });
  });
  await store().restore();
  await store().signOut();
});

/** Signed in with a token that the server has taken, and takes no more. */
async function untilItEnds(): Promise<void> {
  await enter(tokenOf("ada"));
  draft();
  const kept = JSON.parse(localStorage.getItem("chatSignIn")!) as object;
  localStorage.setItem("chatSignIn", JSON.stringify({ ...kept, token: tokenOf("ada", "ended") }));
  await expect(call("get", "/api/agents")).rejects.toMatchObject({ status: 401 });
}

test("who is refused for good comes to the door, which says why, and finds the drafts after it", async () => {
  await untilItEnds();
  expect(store()).toMatchObject({ status: "ready", user: null, error: { detail: "No longer." } });
  await enter(tokenOf("ada", "fresh"));
  expect(store()).toMatchObject({ user: { id: "ada" }, error: null });
  expect(drafts()).toEqual(["half a sentence", "half a page"]);
});

test("whoever comes instead does not find them", async () => {
  await untilItEnds();
  await enter(tokenOf("eve"));
  expect(drafts()).toEqual([null, null]);
});

test("somebody else's sign-in in another tab is theirs here too, and not thrown away", async () => {
  await enter(tokenOf("ada"));
  draft();
  const theirs = JSON.stringify({ user: { id: "eve", name: "Eve", isAnonymous: false }, token: tokenOf("eve"), expiresAt: 9e15 });
  localStorage.setItem("chatSignIn", theirs);
  elsewhere("chatSignIn");
  expect(store().user?.id).toBe("eve");
  expect(localStorage.getItem("chatSignIn")).toBe(theirs);
  expect(drafts()).toEqual([null, null]);
});

test("a sign-out in another tab is one here, and takes what only this tab kept", async () => {
  await enter(tokenOf("ada"));
  draft();
  localStorage.clear();
  elsewhere(null);
  await vi.waitFor(() => expect(store()).toMatchObject({ user: null, error: null }));
  expect(drafts()).toEqual([null, null]);
});

test("an issuer that does not answer keeps nobody signed in", async () => {
  await enter(tokenOf("ada"));
  const signIn = store().signIn!;
  useAuthStore.setState({ signIn: { ...signIn, signOut: () => new Promise(() => undefined) } as LocalSignIn });
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
