/** Who is signed in, and by which of the ways that the server offers. */
import { create } from "zustand";
import { call, takeTokensFrom } from "../api/client";
import { ApiError } from "../api/errors";
import { finishEverything, forgetEverything, forgetKept, forgetShown, patiently } from "../shell/forget";
import { strings } from "../strings";
import { localSignIn, type LocalSignIn } from "./localSignIn";
import type { ClientSetup, User } from "./signIn";
import type { SupabaseSignIn } from "./supabaseSignIn";

type AnySignIn = LocalSignIn | SupabaseSignIn;

interface AuthState {
  status: "loading" | "ready" | "failed";
  error: unknown; // why it failed, or why nobody is signed in any more
  user: User | null;
  signIn: AnySignIn | null;
  restore: () => Promise<void>;
  entered: (user: User) => void;
  /** To the door, with a sign-in that cannot be renewed; what was written waits behind it. */
  signInAgain: () => void;
  signOut: () => Promise<void>;
}

let restoring: Promise<void> | null = null;

export const useAuthStore = create<AuthState>((set, get) => {
  let looks = 0;
  let newest = 0; // of the looks that have counted
  let refused: string | null = null; // the token that the server takes no more
  let last: User | null = null; // whose drafts may wait in this browser

  /** Of whoever was here nothing is shown any more. Their drafts wait for their return, until somebody else comes. */
  function become(user: User | null) {
    const before = get().user;
    if (user?.id === before?.id) return;
    if (before) forgetShown();
    if (user && last && user.id !== last.id) forgetKept(last.id);
    last = user ?? last;
    set({ user, error: user ? null : new ApiError(401, "unauthenticated", strings.errors.signedOut) });
  }

  /** Whatever has happened, in whatever order it is told: who is signed in is whom the browser keeps. */
  async function look(): Promise<void> {
    const mine = ++looks;
    const found = await get().signIn!.restore();
    if (mine < newest) return; // somebody knows better by now
    newest = mine;
    become(found && found.token !== refused ? found.user : null);
  }
  const lookAgain = () => void look().catch(() => undefined); // nobody could be asked: then it stays as it is

  /** From here on: what was asked before says nothing any more. */
  const settle = () => (newest = ++looks);

  function open(signIn: AnySignIn) {
    set({ signIn });
    takeTokensFrom(signIn, (token) => {
      refused = token;
      lookAgain();
    });
    signIn.onChange(lookAgain);
    addEventListener("storage", ({ key }) => {
      if (key !== null) return; // else another tab has emptied it: signed out
      become(null);
      sessionStorage.clear(); // of this tab alone
      lookAgain();
    });
  }

  async function restore() {
    set({ status: "loading", error: null });
    try {
      if (!get().signIn) open(await openSignIn(await call("get", "/api/client")));
      await look();
      set({ status: "ready" });
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
    entered: (user) => {
      settle();
      refused = null;
      become(user);
    },
    signInAgain: () => {
      settle();
      get().signIn?.drop();
      become(null);
    },
    signOut: async () => {
      await finishEverything();
      await patiently(get().signIn?.signOut());
      settle();
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
