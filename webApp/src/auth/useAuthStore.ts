/** Who is signed in, and by which of the ways that the server offers. */
import { create } from "zustand";
import { call, takeTokensFrom } from "../api/client";
import { ApiError } from "../api/errors";
import { finishEverything, forgetEverything, forgetKept, forgetShown, patiently } from "../shell/forget";
import { strings } from "../strings";
import { localSignIn, type LocalSignIn } from "./localSignIn";
import type { ClientSetup, User } from "./signIn";
import type { SupabaseSignIn } from "./supabaseSignIn";

export type AnySignIn = LocalSignIn | SupabaseSignIn;

interface AuthState {
  status: "loading" | "ready" | "failed";
  error: unknown; // why it failed, or why nobody is signed in any more
  user: User | null;
  signIn: AnySignIn | null;
  restore: () => Promise<void>;
  entered: (user: User) => void;
  signOut: () => Promise<void>;
}

let restoring: Promise<void> | null = null;

export const useAuthStore = create<AuthState>((set, get) => {
  let last: User | null = null; // whose drafts may wait in this browser

  /** Of whoever was here nothing is shown any more. Drafts wait for their return, until somebody else comes. */
  function become(user: User | null, error: unknown = null) {
    if (user?.id === get().user?.id) return;
    if (get().user) forgetShown();
    if (user && last && user.id !== last.id) forgetKept();
    last = user ?? last;
    set({ user, error });
  }

  async function restore() {
    set({ status: "loading", error: null });
    try {
      const signIn = await openSignIn(await call("get", "/api/client"));
      takeTokensFrom(signIn, (refused) => become(null, refused));
      become(await signIn.restore());
      signIn.onChange((user) => become(user, user ? null : new ApiError(401, "unauthenticated", strings.errors.signedOut)));
      addEventListener("storage", ({ key }) => {
        if (key !== null) return; // else it was emptied: signed out in another tab
        forgetKept();
        last = null;
        void signIn.restore().then((user) => become(user));
      });
      set({ status: "ready", signIn });
    } catch (error) {
      restoring = null;
      set({ status: "failed", error });
    }
  }

  return {
    status: "loading",
    error: null,
    user: null,
    signIn: null,
    restore: () => (restoring ??= restore()),
    entered: (user) => become(user),
    signOut: async () => {
      await finishEverything();
      await patiently(Promise.allSettled([get().signIn?.signOut()]));
      forgetEverything();
      last = null;
      set({ user: null, error: null });
    },
  };
});

async function openSignIn(setup: ClientSetup): Promise<AnySignIn> {
  if (setup.sign_in !== "supabase" || !setup.supabase) return localSignIn(setup.sign_in === "dev" ? "dev" : "token");
  const { supabaseSignIn } = await import("./supabaseSignIn");
  return supabaseSignIn(setup.supabase.url ?? location.origin, setup.supabase.key);
}
