/** Which conversation is open. Its messages live in useChat, its title in the list of sessions. */
import { create } from "zustand";
import { call } from "../api/client";
import { ApiError } from "../api/errors";
import type { Session } from "../api/types";
import { useAuthStore } from "../auth/useAuthStore";
import { whenForgotten } from "../shell/forget";
import { namedChat, nameChat, unnameChat } from "./address";
import { agentKey, keep, kept, sessionKey } from "./hints";

interface ChatState {
  userId: string | null;
  agentName: string | null;
  sessionId: string | null;
  status: "idle" | "resolving" | "ready" | "failed";
  error: unknown;
  /** Grows when the open conversation is to be read anew from the server. */
  generation: number;
  /** Find the session to go on with: that of the address, else the browser's hint, the server's active one, a new one. */
  initializeSessionAsync: (userId: string, agentName: string | null) => Promise<void>;
  /** Go on with a session that is known already: one of the list, or one just made. Back leads to the one before, unless replaced. */
  openSession: (session: Pick<Session, "session_id" | "agent_name">, options?: { replace?: boolean }) => void;
  /** Somebody else may have written to the open conversation: read it again, then listen to what runs. */
  reloadConversation: () => void;
  reset: () => void;
}

const nothing = { userId: null, agentName: null, sessionId: null, status: "idle", error: null, generation: 0 } as const;

let asked = 0; // how often a session was looked for; the last one counts

export const useChatStore = create<ChatState>((set, get) => ({
  ...nothing,
  initializeSessionAsync: async (userId, agentName) => {
    set({ userId, agentName, sessionId: null, status: "resolving", error: null });
    const mine = ++asked;
    const isStillWanted = () => mine === asked && get().status === "resolving";
    try {
      const named = agentName === null ? await findNamed() : null;
      const session = named ?? (await resolve(userId, agentName));
      if (isStillWanted()) get().openSession(session, { replace: agentName === null });
    } catch (error) {
      if (isStillWanted()) set({ status: "failed", error });
    }
  },
  openSession: ({ session_id, agent_name }, options) => {
    const userId = useAuthStore.getState().user?.id ?? get().userId; // the list may be drawn before the chat is
    if (userId) {
      keep(sessionKey(userId, agent_name), session_id);
      keep(agentKey(userId), agent_name);
    }
    set({ userId, agentName: agent_name, sessionId: session_id, status: "ready", error: null });
    nameChat(session_id, options);
  },
  reloadConversation: () => set(({ generation }) => ({ generation: generation + 1 })),
  reset: () => set(nothing),
}));

whenForgotten(() => useChatStore.getState().reset());

/** The chat that the address names, if the user has it; else the address names it no more. */
async function findNamed(): Promise<Session | null> {
  const named = namedChat();
  if (named === null) return null;
  try {
    const found = await call("get", "/api/sessions/{session_id}", { path: { session_id: named } });
    return found.session_id ? found : null; // "." leads to the list
  } catch (error) {
    const isUnknown = error instanceof ApiError && (error.status === 404 || error.status === 422);
    if (!isUnknown) throw error;
    if (namedChat() === named) unnameChat();
    return null;
  }
}

/** The server decides; an agent that is gone, or a hint that it cannot read, is dropped and asked again without. */
async function resolve(userId: string, wished: string | null): Promise<Session> {
  const agent_name = wished ?? kept(agentKey(userId)) ?? undefined;
  const hint = agent_name ? (kept(sessionKey(userId, agent_name)) ?? undefined) : undefined;
  try {
    return await call("post", "/api/sessions/resolve", { body: { agent_name, hint } });
  } catch (error) {
    const isOurs = error instanceof ApiError && (error.status === 422 || error.code === "agent_not_found");
    if (!isOurs || !agent_name) throw error;
    keep(sessionKey(userId, agent_name), null);
    keep(agentKey(userId), null);
    if (wished !== null && error.code === "agent_not_found") throw error;
    return call("post", "/api/sessions/resolve", { body: wished === null ? {} : { agent_name } });
  }
}
