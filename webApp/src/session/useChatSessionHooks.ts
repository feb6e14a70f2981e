/** The open session for components: found when there is none, changed when the user wants another. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import { call } from "../api/client";
import { ApiError } from "../api/errors";
import { keys } from "../api/query";
import { useAuthStore } from "../auth/useAuthStore";
import { namedChat, nameChat } from "./address";
import { generateNewSessionId } from "./generateNewSessionId";
import { useChatStore } from "./useChatStore";

/** The session to show: what the address names, also after Back and Forward, else what the server says; `retry` after a failure. */
export function useFetchActiveChatSession() {
  const userId = useAuthStore((state) => state.user?.id ?? null);
  const { status, error, sessionId, agentName, generation, initializeSessionAsync } = useChatStore();
  const retry = useCallback(() => {
    if (userId) void initializeSessionAsync(userId, useChatStore.getState().agentName);
  }, [userId, initializeSessionAsync]);
  useEffect(() => {
    const follow = () => {
      const { sessionId: open, status: now } = useChatStore.getState();
      const named = namedChat();
      if (!userId || now === "idle" || named === open) return;
      if (named !== null) void initializeSessionAsync(userId, null);
      else if (open) nameChat(open);
    };
    follow(); // the address may have changed while another page was open
    addEventListener("popstate", follow);
    return () => removeEventListener("popstate", follow);
  }, [userId, initializeSessionAsync]);
  useEffect(() => {
    if (status === "idle") retry();
  }, [status, retry]);
  return { status, error, sessionId, agentName, generation, retry };
}

interface NewSession {
  agentName: string | null;
  isPrivate?: boolean;
  /** Instead of a chat to which nobody should come back. */
  replace?: boolean;
}

/** Makes a new session and the active one of its agent. */
export function useUpsertActiveChatSession() {
  const client = useQueryClient();
  const openSession = useChatStore((state) => state.openSession);
  return useMutation({
    mutationFn: ({ agentName, isPrivate }: NewSession) =>
      call("post", "/api/sessions", {
        body: {
          session_id: generateNewSessionId(),
          agent_name: agentName ?? undefined,
          memory: isPrivate ? "off" : "on",
        },
      }),
    onSuccess: (session, { replace }) => {
      openSession(session, { replace });
      void client.invalidateQueries({ queryKey: keys.sessions });
    },
  });
}

/** Title, memory and agent of one session; null: the server has none, or has it no more. */
export function useSession(sessionId: string | null) {
  return useQuery({
    queryKey: [...keys.sessions, "one", sessionId],
    queryFn: ({ signal }) => call("get", "/api/sessions/{session_id}", { path: { session_id: sessionId ?? "" }, signal }).catch(nullIfNone),
    enabled: sessionId !== null,
  });
}

function nullIfNone(error: unknown): null {
  if (error instanceof ApiError && error.code === "session_not_found") return null;
  throw error;
}

const TOLD_MS = 1_000;

/** Calls `forget` when a session that was there is erased with everything else. Of one that was deleted we are told in a
 *  moment, and leave it with what is being written in it. */
export function useWhenGone(sessionId: string, forget: () => void): void {
  const session = useSession(sessionId).data;
  const wasThere = useRef(false);
  const current = useRef(forget);
  current.current = forget;
  useEffect(() => {
    const isGone = session === null && wasThere.current;
    wasThere.current = Boolean(session);
    if (!isGone) return;
    const timer = setTimeout(() => current.current(), TOLD_MS);
    return () => clearTimeout(timer);
  }, [session]);
}

export function useAgents() {
  return useQuery({
    queryKey: keys.agents,
    queryFn: async ({ signal }) => (await call("get", "/api/agents", { signal })).agents,
    staleTime: Infinity,
  });
}
