/** What is written but not saved yet: it survives a reload of its tab, and belongs to that tab alone. */
import { useCallback, useState } from "react";

export interface NotesDraft {
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

export function useNotesDraft(userId: string, agent: string) {
  const key = keyOf(userId, agent);
  const [draft, setDraft] = useState<NotesDraft | null>(() => readDraft(storedAt(key)));
  const keep = useCallback(
    (next: NotesDraft | null) => {
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
  return [draft, keep] as const;
}

function storedAt(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}
