/** Sign-in without Supabase: by any name where the server is for development, or with a token from elsewhere. */
import { ApiError, asApiError, errorOf } from "../api/errors";
import type { components } from "../api/schema";
import { strings } from "../strings";
import { claimsOf, type Bearer, type SignIn, type User } from "./signIn";

const KEY = "chatSignIn";
const SOON_MS = 60_000; // a token is renewed before it is refused

interface Kept extends Bearer {
  expiresAt: number;
}

function read(): Kept | null {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "null") as Kept | null;
  } catch {
    return null;
  }
}

export interface LocalSignIn extends SignIn {
  readonly kind: "dev" | "token";
  enter(nameOrToken: string): Promise<User>;
}

export function localSignIn(kind: "dev" | "token"): LocalSignIn {
  const get = kind === "dev" ? byName : byToken;

  async function enter(given: string): Promise<User> {
    const kept = await get(given);
    localStorage.setItem(KEY, JSON.stringify(kept));
    return kept.user;
  }

  async function refresh(): Promise<string | null> {
    const kept = read();
    if (!kept || kind === "token") return null;
    const fresh = await get(kept.user.name);
    if (read()?.token === kept.token) localStorage.setItem(KEY, JSON.stringify(fresh)); // else it is another's by now, or nobody's
    return read()?.token ?? null;
  }

  return {
    kind,
    enter,
    refresh,
    restore: async () => read(),
    token: async () => {
      const kept = read();
      const isStale = kind === "dev" && kept !== null && kept.expiresAt - Date.now() < SOON_MS;
      return isStale ? refresh() : (kept?.token ?? null);
    },
    drop: () => localStorage.removeItem(KEY),
    signOut: async () => undefined, // there is no issuer
    onChange: (listen) => addEventListener("storage", ({ key }) => key === KEY && listen()),
  };
}

async function byName(name: string): Promise<Kept> {
  // Not by `call`: it would ask for a fresh token first, which is what we are doing.
  const response = await fetch("/api/dev/token", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ user: name }),
  }).catch((error: unknown) => Promise.reject(asApiError(error)));
  if (!response.ok) throw await errorOf(response);
  const made = (await response.json()) as components["schemas"]["DevToken"];
  return {
    user: { id: made.user_id, name, isAnonymous: false },
    token: made.access_token,
    expiresAt: Date.now() + made.expires_in * 1000,
  };
}

/** Whoever pastes a token that the server refuses is told so at once. */
async function byToken(token: string): Promise<Kept> {
  const response = await fetch("/api/agents", { headers: { Authorization: `Bearer ${token}` } });
  if (!response.ok) throw await errorOf(response);
  const { sub, email, exp, is_anonymous } = claimsOf(token);
  if (typeof sub !== "string" || !sub) throw new ApiError(401, "unauthenticated", strings.auth.noAccessToken);
  const name = typeof email === "string" && email ? email : sub;
  const expiresAt = typeof exp === "number" ? exp * 1000 : Number.MAX_SAFE_INTEGER;
  return { user: { id: sub, name, isAnonymous: is_anonymous === true }, token, expiresAt };
}
