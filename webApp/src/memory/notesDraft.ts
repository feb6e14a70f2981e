/** What is written but not saved yet: it survives a reload of its tab, and belongs to that tab alone. */
import { useCallback, useRef, useState } from "react";

interface NotesDraft {
  text: string;
  /** The version that it was begun from. */
  over: number;
}

const keyOf = (userId: string, agent: string) => `notesDraft_${userId}_${agent}`;

export function readDraft(stored: string | null): NotesDraft | null {
  try {
    const found = JSON.parse(stored ?? "null") as Partial<NotesDraft> | null;
    return typeof found?.text === "string" && typeof found.over === "number" ? { text: found.text, over: found.over } : null;
  } catch {
    return null;
  }
}

/** What is still to be saved: what was typed while `sent` was on its way, now over what that has made. */
export function afterSaving(now: NotesDraft | null, sent: NotesDraft | null, version: number): NotesDraft | null {
  return now && now.text !== sent?.text ? { text: now.text, over: version } : null;
}

export function useNotesDraft(userId: string, agent: string) {
  const key = keyOf(userId, agent);
  const [draft, setDraft] = useState<NotesDraft | null>(() => readDraft(storedAt(key)));
  const newest = useRef(draft);
  const keep = useCallback(
    (next: NotesDraft | null) => {
      newest.current = next;
      setDraft(next);
      try {
        if (next) sessionStorage.setItem(key, JSON.stringify(next));
        else sessionStorage.removeItem(key);
      } catch {
        // a storage that is full or forbidden keeps nothing; the page does
      }
    },
    [key],
  );
  const saved = useCallback((sent: NotesDraft | null, version: number) => keep(afterSaving(newest.current, sent, version)), [keep]);
  return [draft, keep, saved] as const;
}

function storedAt(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}
