/** What is being written survives a reload, per session. */
import { useCallback, useState } from "react";
import { keep, kept } from "../session/hints";

export const draftKey = (sessionId: string) => `chatDraft_${sessionId}`;

export function useDraft(sessionId: string): [string, (text: string) => void] {
  const key = draftKey(sessionId);
  const [draft, setDraft] = useState(() => kept(key) ?? "");
  const change = useCallback(
    (text: string) => {
      setDraft(text);
      keep(key, text || null);
    },
    [key],
  );
  return [draft, change];
}
