// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { supabaseSignIn } from "./supabaseSignIn";

const ISSUER = "https://issuer.example";
const KEPT = "sb-issuer-auth-token";
const user = { id: "mallory", email: "mallory@example.org", aud: "authenticated", app_metadata: {}, user_metadata: {}, created_at: "" };
const session = { access_token: "head.e30.x", refresh_token: "r", token_type: "bearer", expires_in: 3600, expires_at: 4e9, user };

beforeEach(() => {
  for (const quiet of ["error", "warn"] as const) vi.spyOn(console, quiet).mockReturnValue(undefined); // auth-js tells of each try
  vi.stubGlobal("fetch", async () => Response.json(user));
});

afterEach(() => {
  localStorage.clear();
  history.replaceState(null, "", "/");
  vi.unstubAllGlobals();
});

test("tokens in the address sign nobody in", async () => {
  const { access_token, refresh_token } = session;
  location.hash = new URLSearchParams({ access_token, refresh_token, expires_in: "3600", token_type: "bearer" }).toString();
  expect(await supabaseSignIn(ISSUER, "key").restore()).toBeNull();
  expect(localStorage.getItem(KEPT)).toBeNull();
});
