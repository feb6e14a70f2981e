/** What is being written survives a reload, per session; so does what was sent, until the server has taken it. */
import { useCallback, useEffect, useMemo, useState } from "react";
import { useAuthStore } from "../auth/useAuthStore";
import { keep, kept } from "../session/hints";

export const draftKey = (sessionId: string) => `chatDraft_${useAuthStore.getState().user?.id ?? ""}_${sessionId}`;

/** `said`: the last question; a draft of the same words was taken while nobody looked. */
export function useDraft(sessionId: string, said: string) {
  const key = useMemo(() => draftKey(sessionId), [sessionId]); // of who began it
  const [{ draft, sent }, set] = useState(() => ({ draft: unless(said, kept(key) ?? ""), sent: "" }));
  const whole = joined(sent, draft);
  useEffect(() => keep(key, whole || null), [key, whole]);
  const write = useCallback((draft: string) => set((now) => ({ ...now, draft })), []);
  const add = useCallback((more: string) => set((now) => ({ ...now, draft: joined(now.draft, more) })), []);
  const send = useCallback(() => set(({ draft }) => ({ draft: "", sent: draft })), []);
  /** What came of it: what was refused stands before what was written meanwhile. */
  const settle = useCallback(
    (wasTaken: boolean) => set(({ draft, sent }) => ({ draft: wasTaken ? draft : joined(sent, draft), sent: "" })),
    [],
  );
  const forget = useCallback(() => set({ draft: "", sent: "" }), []);
  return { draft, write, add, send, settle, forget };
}

const unless = (said: string, draft: string): string => (draft.trim() === said.trim() ? "" : draft);
const joined = (...texts: string[]): string => texts.filter(Boolean).join("\n\n");

/** What was written in one conversation stands in another, behind what was written there. */
export function moveDraft(from: string, to: string): boolean {
  const words = kept(draftKey(from));
  if (words === null) return false;
  keep(draftKey(to), joined(kept(draftKey(to)) ?? "", words));
  keep(draftKey(from), null);
  return true;
}
