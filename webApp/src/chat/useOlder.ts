/** Earlier pages of a conversation, put in front of what is there. */
import { useCallback, useRef, useState } from "react";
import { asApiError, type ApiError } from "../api/errors";
import { FULL_PAGE, readHistory, withOlder } from "./history";
import type { ChatMessage } from "./message";

type SetMessages = (change: (shown: ChatMessage[]) => ChatMessage[]) => void;

export interface Older {
  hasMore: boolean;
  isLoading: boolean;
  error: ApiError | null;
  load: () => void;
  /** Reads on until it has come upon something, or nobody waits for it any more; whether it has. */
  reach: (isIt: (message: ChatMessage) => boolean, signal: AbortSignal) => Promise<boolean>;
}

export function useOlder(sessionId: string, first: string | null, setMessages: SetMessages): Older {
  const before = useRef(first);
  const [hasMore, setMore] = useState(first !== null);
  const [isLoading, setLoading] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const running = useRef<Promise<ChatMessage[]> | null>(null);
  const held = useRef<ChatMessage[] | null>(null); // while something is looked for: shown together, for each showing takes its time

  const read = useCallback(
    async (limit?: number) => {
      if (before.current === null) return [];
      setLoading(true);
      try {
        const page = await readHistory(sessionId, before.current, undefined, limit);
        before.current = page.before;
        if (held.current) held.current = withOlder(page.messages, held.current);
        else setMessages((shown) => withOlder(page.messages, shown));
        setMore(page.before !== null);
        setError(null);
        return page.messages;
      } catch (failure) {
        setError(asApiError(failure));
        return [];
      } finally {
        running.current = null;
        setLoading(false);
      }
    },
    [sessionId, setMessages],
  );

  const load = useCallback(() => void (running.current ??= read()), [read]);

  const reach = useCallback(
    async (isIt: (message: ChatMessage) => boolean, signal: AbortSignal) => {
      held.current ??= [];
      try {
        while (!signal.aborted) {
          const found = await (running.current ??= read(FULL_PAGE));
          if (found.some(isIt)) return true;
          if (found.length === 0) break; // the beginning, or an error that is shown there
        }
        return false;
      } finally {
        const all = held.current ?? [];
        held.current = null;
        if (all.length > 0) setMessages((shown) => withOlder(all, shown));
      }
    },
    [read, setMessages],
  );

  return { hasMore, isLoading, error, load, reach };
}
