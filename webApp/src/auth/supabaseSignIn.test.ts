// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { supabaseSignIn } from "./supabaseSignIn";

const ISSUER = "https://issuer.example";
const KEPT = "sb-issuer-auth-token";
const user = { id: "mallory", email: "mallory@example.org", aud: "authenticated", app_metadata: {}, user_metadata: {}, created_at: "" };
const session = { access_token: "head.e30.x", refresh_token: "r", token_type: "bearer", expires_in: 3600, expires_at: 4e9, user };
let answer: (address: string) => Promise<Response>;

beforeEach(() => {
  for (const quiet of ["error", "warn"] as const) vi.spyOn(console, quiet).mockReturnValue(undefined); // auth-js tells of each try
  vi.stubGlobal("fetch", (address: string | URL) => answer(String(address)));
});

afterEach(() => {
  localStorage.clear();
  history.replaceState(null, "", "/");
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("tokens in the address sign nobody in", async () => {
  answer = async () => Response.json(user);
  const { access_token, refresh_token } = session;
  location.hash = new URLSearchParams({ access_token, refresh_token, expires_in: "3600", token_type: "bearer" }).toString();
  expect(await supabaseSignIn(ISSUER, "key").restore()).toBeNull();
  expect(localStorage.getItem(KEPT)).toBeNull();
});

test("a refresh that is refused gives no token, one that nobody answers is an error", async () => {
  localStorage.setItem(KEPT, JSON.stringify(session));
  answer = async () => Response.json({ code: "refresh_token_not_found", message: "Invalid Refresh Token" }, { status: 400 });
  expect(await supabaseSignIn(ISSUER, "key").refresh()).toBeNull();

  vi.useFakeTimers();
  localStorage.setItem(KEPT, JSON.stringify({ ...session, refresh_token: "r2" }));
  answer = async () => Promise.reject(new TypeError("network"));
  const refreshed = expect(supabaseSignIn(ISSUER, "key").refresh()).rejects.toMatchObject({ isOffline: true });
  await vi.advanceTimersByTimeAsync(60_000);
  await refreshed;
});

test("an answer to a sign-out that comes late ends nobody else's session", async () => {
  localStorage.setItem(KEPT, JSON.stringify(session));
  const asked: string[] = [];
  let late!: (response: Response) => void;
  answer = (address) => {
    asked.push(address);
    return new Promise((resolve) => (late = resolve));
  };
  const out = supabaseSignIn(ISSUER, "key").signOut();
  await vi.waitFor(() => expect(asked).toEqual([`${ISSUER}/auth/v1/logout?scope=local`]));
  const next = JSON.stringify({ ...session, refresh_token: "of the next one" });
  localStorage.setItem(KEPT, next);
  late(new Response(null, { status: 204 }));
  await out;
  expect(localStorage.getItem(KEPT)).toBe(next);
});

test("who renews a token more slowly than another tab takes the one from there", async () => {
  localStorage.setItem(KEPT, JSON.stringify({ ...session, expires_at: 1 }));
  let times = 0;
  answer = async () => {
    localStorage.setItem(KEPT, JSON.stringify({ ...session, access_token: "head.e30.theirs", refresh_token: `theirs ${++times}` }));
    return Response.json({ ...session, access_token: "head.e30.ours", refresh_token: "ours" });
  };
  const signIn = supabaseSignIn(ISSUER, "key");
  expect(await signIn.restore()).toMatchObject({ user: { id: "mallory" }, token: "head.e30.theirs" });
  expect(await signIn.refresh()).toBe("head.e30.theirs");
});

test("a sign-in that has expired while nobody answers is not over", async () => {
  vi.useFakeTimers();
  localStorage.setItem(KEPT, JSON.stringify({ ...session, expires_at: 1 }));
  answer = async () => Promise.reject(new TypeError("network"));
  const restored = expect(supabaseSignIn(ISSUER, "key").restore()).rejects.toMatchObject({ isOffline: true });
  await vi.advanceTimersByTimeAsync(60_000);
  await restored;
  expect(localStorage.getItem(KEPT)).not.toBeNull();
});
