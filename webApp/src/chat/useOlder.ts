/** Earlier pages of a conversation, put in front of what is there. */
import { useCallback, useRef, useState } from "react";
import { asApiError, type ApiError } from "../api/errors";
import { readHistory, withOlder } from "./history";
import type { ChatMessage } from "./message";

type SetMessages = (change: (shown: ChatMessage[]) => ChatMessage[]) => void;

export interface Older {
  hasMore: boolean;
  isLoading: boolean;
  error: ApiError | null;
  load: () => void;
}

export function useOlder(sessionId: string, first: string | null, setMessages: SetMessages): Older {
  const [before, setBefore] = useState(first);
  const [isLoading, setLoading] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const running = useRef(false);

  const load = useCallback(() => {
    if (before === null || running.current) return;
    running.current = true;
    setLoading(true);
    readHistory(sessionId, before)
      .then((page) => {
        setMessages((shown) => withOlder(page.messages, shown));
        setBefore(page.before);
        setError(null);
      })
      .catch((failure: unknown) => setError(asApiError(failure)))
      .finally(() => {
        running.current = false;
        setLoading(false);
      });
  }, [before, sessionId, setMessages]);

  return { hasMore: before !== null, isLoading, error, load };
}
