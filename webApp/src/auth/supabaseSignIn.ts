/** Supabase Auth through supabase-js, which is loaded only where it is used: here and nowhere else. */
import { createClient, isAuthRefreshDiscardedError, type AuthError, type Session } from "@supabase/supabase-js";
import { ApiError, offline } from "../api/errors";
import { strings } from "../strings";
import type { SignIn, User } from "./signIn";

const REFUSALS = [400, 401, 403, 404, 422]; // of a refresh token; whatever else fails may go better later

const KEPT = /^sb-.*-auth-token$/; // where supabase-js keeps the session

export interface SupabaseSignIn extends SignIn {
  readonly kind: "supabase";
  withPassword(email: string, password: string): Promise<User>;
  /** null: the address has to be confirmed first. */
  signUp(email: string, password: string): Promise<User | null>;
  sendLink(email: string): Promise<void>;
  anonymously(): Promise<User>;
}

export function supabaseSignIn(url: string, key: string): SupabaseSignIn {
  // With PKCE a link signs in only the browser that asked for it: tokens in an address could be anybody's.
  const { auth } = createClient(url, key, { auth: { persistSession: true, autoRefreshToken: true, flowType: "pkce" } });
  /** What is kept, renewed when it is about to expire. */
  const session = async (): Promise<Session | null> => {
    const { data, error } = await auth.getSession();
    if (error && isAuthRefreshDiscardedError(error)) return session(); // another tab was quicker: what there is now
    if (error && !isRefusal(error)) throw told(error);
    return data.session;
  };
  const redirect = { emailRedirectTo: location.origin };

  return {
    kind: "supabase",
    restore: async () => {
      const found = await session();
      const user = userOf(found);
      return found && user && { user, token: found.access_token };
    },
    token: async () => (await session())?.access_token ?? null,
    refresh: async () => {
      const { data, error } = await auth.refreshSession();
      if (error && isAuthRefreshDiscardedError(error)) return (await session())?.access_token ?? null;
      if (error && !isRefusal(error)) throw told(error);
      return data.session?.access_token ?? null;
    },
    drop: () => Object.keys(localStorage).filter((key) => KEPT.test(key)).forEach((key) => localStorage.removeItem(key)),
    signOut: async () => {
      const last = (await auth.getSession()).data.session?.access_token;
      // Not auth.signOut: an answer that comes late would end the session of whoever has signed in since.
      if (last) await auth.admin.signOut(last, "local");
    },
    onChange: (listen) => {
      auth.onAuthStateChange(() => void setTimeout(listen));
      // Of what other tabs do auth-js may tell before this one can read it; the browser does not.
      addEventListener("storage", ({ key }) => key?.startsWith("sb-") && listen());
    },
    withPassword: async (email, password) => needed(await auth.signInWithPassword({ email, password })),
    signUp: async (email, password) => {
      const { data, error } = await auth.signUp({ email, password, options: redirect });
      if (error) throw told(error);
      return userOf(data.session);
    },
    sendLink: async (email) => {
      const { error } = await auth.signInWithOtp({ email, options: redirect });
      if (error) throw told(error);
    },
    anonymously: async () => needed(await auth.signInAnonymously()),
  };
}

function needed({ data, error }: { data: { session: Session | null }; error: AuthError | null }): User {
  if (error) throw told(error);
  const user = userOf(data.session);
  if (!user) throw new ApiError(401, "unauthenticated", strings.errors.signedOut);
  return user;
}

const isRefusal = (error: AuthError): boolean => REFUSALS.includes(error.status ?? 0);

/** The issuer's own sentence; it is written for people. */
function told(error: AuthError): ApiError {
  return error.status ? new ApiError(error.status, error.code ?? "sign_in", error.message) : offline();
}

function userOf(session: Session | null): User | null {
  if (!session) return null;
  const { id, email, is_anonymous } = session.user;
  return { id, name: email || strings.auth.anonymousName, isAnonymous: is_anonymous ?? false };
}
