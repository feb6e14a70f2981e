/** Who is signed in, and by which of the ways that the server offers. */
import { create } from "zustand";
import { call, takeTokensFrom } from "../api/client";
import { finishEverything, forgetEverything } from "../shell/forget";
import { localSignIn, type LocalSignIn } from "./localSignIn";
import type { ClientSetup, User } from "./signIn";
import type { SupabaseSignIn } from "./supabaseSignIn";

export type AnySignIn = LocalSignIn | SupabaseSignIn;

interface AuthState {
  status: "loading" | "ready" | "failed";
  error: unknown;
  user: User | null;
  signIn: AnySignIn | null;
  restore: () => Promise<void>;
  entered: (user: User) => void;
  signOut: () => Promise<void>;
}

let restoring: Promise<void> | null = null;

export const useAuthStore = create<AuthState>((set, get) => {
  async function restore() {
    set({ status: "loading", error: null });
    try {
      const signIn = await openSignIn(await call("get", "/api/client"));
      takeTokensFrom(signIn);
      const user = await signIn.restore();
      signIn.onChange((changed) => {
        if (changed?.id === get().user?.id) return;
        if (!changed || get().user) forgetEverything(); // signed out, or somebody else, in another tab
        set({ user: changed });
      });
      set({ status: "ready", signIn, user });
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
    entered: (user) => set({ user }),
    signOut: async () => {
      await finishEverything();
      await get().signIn?.signOut().catch(() => undefined); // an issuer that does not answer keeps nobody signed in here
      forgetEverything();
      set({ user: null });
    },
  };
});

async function openSignIn(setup: ClientSetup): Promise<AnySignIn> {
  if (setup.sign_in !== "supabase" || !setup.supabase) return localSignIn(setup.sign_in === "dev" ? "dev" : "token");
  const { supabaseSignIn } = await import("./supabaseSignIn");
  return supabaseSignIn(setup.supabase.url ?? location.origin, setup.supabase.key);
}
