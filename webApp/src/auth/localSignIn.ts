/** Sign-in without Supabase: by any name where the server is for development, or with a token from elsewhere. */
import { asApiError, errorOf } from "../api/errors";
import type { components } from "../api/schema";
import { claimsOf, type SignIn, type User } from "./signIn";

const KEY = "chatSignIn";
const SOON_MS = 60_000; // a token is renewed before it is refused

interface Kept {
  user: User;
  token: string;
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
    await enter(kept.user.name);
    return read()?.token ?? null;
  }

  return {
    kind,
    enter,
    refresh,
    restore: async () => read()?.user ?? null,
    token: async () => {
      const kept = read();
      const isStale = kind === "dev" && kept !== null && kept.expiresAt - Date.now() < SOON_MS;
      return isStale ? refresh() : (kept?.token ?? null);
    },
    signOut: async () => localStorage.removeItem(KEY),
    onChange: (listen) =>
      addEventListener("storage", (event) => {
        if (event.key === KEY || event.key === null) listen(read()?.user ?? null);
      }),
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
  const name = typeof email === "string" && email ? email : String(sub ?? "");
  const expiresAt = typeof exp === "number" ? exp * 1000 : Number.MAX_SAFE_INTEGER;
  return { user: { id: String(sub ?? ""), name, isAnonymous: is_anonymous === true }, token, expiresAt };
}
