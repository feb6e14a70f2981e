/** Supabase Auth through supabase-js, which is loaded only where it is used: here and nowhere else. */
import { createClient, type AuthError, type Session } from "@supabase/supabase-js";
import { ApiError, offline } from "../api/errors";
import { strings } from "../strings";
import type { SignIn, User } from "./signIn";

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
  const redirect = { emailRedirectTo: location.origin };

  return {
    kind: "supabase",
    restore: async () => userOf((await auth.getSession()).data.session),
    token: async () => (await auth.getSession()).data.session?.access_token ?? null,
    refresh: async () => (await auth.refreshSession()).data.session?.access_token ?? null,
    signOut: async () => void (await auth.signOut({ scope: "local" })),
    onChange: (listen) => void auth.onAuthStateChange((_, session) => setTimeout(() => listen(userOf(session)))),
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

/** The issuer's own sentence; it is written for people. */
function told(error: AuthError): ApiError {
  return error.status ? new ApiError(error.status, error.code ?? "sign_in", error.message) : offline();
}

function userOf(session: Session | null): User | null {
  if (!session) return null;
  const { id, email, is_anonymous } = session.user;
  return { id, name: email || strings.auth.anonymousName, isAnonymous: is_anonymous ?? false };
}
