/** What is shown of a conversation: its end, with earlier pages in front; or, for who was led far back, a window of the
 *  past, which grows both ways until it meets the end. useChat knows only the end: what is said goes there. */
import { useCallback, useRef, useState } from "react";
import { asApiError, type ApiError } from "../api/errors";
import { readHistory, withOlder, type HistoryPage, type Point } from "./history";
import type { ChatMessage } from "./message";

type SetMessages = (change: (shown: ChatMessage[]) => ChatMessage[]) => void;

/** More of it in one direction. */
export interface More {
  hasMore: boolean;
  isLoading: boolean;
  error: ApiError | null;
  load: () => void;
}

export interface Pages {
  messages: ChatMessage[];
  /** Whether this is a window of the past, and not the end. */
  isPast: boolean;
  older: More;
  newer: More;
  /** Shows a message, wherever it was said; under which id. */
  goTo: (messageId: string, signal: AbortSignal) => Promise<string>;
  /** To the end of the conversation. */
  toNewest: () => void;
  /** How often somebody came back there. */
  returns: number;
}

export function usePages(sessionId: string, first: string | null, end: ChatMessage[], setEnd: SetMessages): Pages {
  const [before, setBefore] = useState(first); // of the end
  const [past, drawPast] = useState<HistoryPage | null>(null);
  const [returns, setReturns] = useState(0);
  const now = useRef({ past, end });
  now.current.end = end;
  const setPast = useCallback((page: HistoryPage | null) => {
    now.current.past = page;
    drawPast(page);
  }, []);
  const toNewest = useCallback(() => {
    if (!now.current.past) return;
    setPast(null);
    setReturns((count) => count + 1);
  }, [setPast]);

  /** What was read, before or around what is shown: together with the end where they meet. */
  const show = useCallback(
    (page: HistoryPage) => {
      const known = new Set(now.current.end.map((each) => each.id));
      if (!page.messages.some((each) => known.has(each.id))) return setPast(page);
      setEnd((shown) => withOlder(page.messages, shown));
      setBefore(page.before);
      setPast(null);
    },
    [setEnd, setPast],
  );
  const goTo = useCallback(
    async (messageId: string, signal: AbortSignal) => {
      const page = await readHistory(sessionId, { around: messageId }, signal);
      if (!signal.aborted) show(page);
      return page.around ?? messageId;
    },
    [sessionId, show],
  );

  const readOlder = useCallback(
    async (cursor: string) => {
      const wasPast = now.current.past !== null;
      const page = await readHistory(sessionId, { before: cursor });
      const there = now.current.past;
      if (there?.before === cursor) setPast({ ...there, messages: withOlder(page.messages, there.messages), before: page.before });
      if (wasPast) return;
      setEnd((shown) => withOlder(page.messages, shown));
      setBefore((known) => (known === cursor ? page.before : known));
    },
    [sessionId, setEnd, setPast],
  );
  const readNewer = useCallback(
    async (cursor: string) => {
      const page = await readHistory(sessionId, { after: cursor });
      const there = now.current.past;
      if (there?.after === cursor) show({ messages: withOlder(there.messages, page.messages), before: there.before, after: page.after });
    },
    [sessionId, show],
  );
  const older = useMore(past ? past.before : before, readOlder);
  const newer = useMore(past?.after ?? null, readNewer);
  return { messages: past?.messages ?? end, isPast: past !== null, older, newer, goTo, toNewest, returns };
}

/** One page at a time, from where the last one ended. */
function useMore(cursor: Point["before"] | null, read: (cursor: string) => Promise<void>): More {
  const [isLoading, setLoading] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const isReading = useRef(false);
  const load = useCallback(() => {
    if (isReading.current || !cursor) return;
    isReading.current = true;
    setLoading(true);
    read(cursor)
      .then(() => setError(null), (failure: unknown) => setError(asApiError(failure)))
      .finally(() => {
        isReading.current = false;
        setLoading(false);
      });
  }, [cursor, read]);
  return { hasMore: Boolean(cursor), isLoading, error, load };
}
