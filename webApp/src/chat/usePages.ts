/** What is shown of a conversation: its end, with earlier pages in front; or, for who was led far back, a window of the
 *  past, which grows both ways until it meets the end. useChat knows only the end: what is said goes there. */
import { useCallback, useEffect, useRef, useState } from "react";
import { asApiError, type ApiError } from "../api/errors";
import { toast } from "../shell/toasts";
import { strings } from "../strings";
import { readHistory, withOlder, withPage, type HistoryPage, type Point } from "./history";
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
  /** Whoever changes what was said in a window of the past replaces all that followed: it is the end then. The way back;
   *  null: it is the end already. */
  asEnd: () => (() => void) | null;
}

/** What lies before a message; null: nothing. */
interface Start {
  of: string | undefined;
  before: string | null;
}
const startOf = ({ messages, before }: HistoryPage): Start => ({ of: messages[0]?.id, before });

export function usePages(sessionId: string, first: HistoryPage, end: ChatMessage[], setEnd: SetMessages): Pages {
  const [start, setStart] = useState(() => startOf(first)); // of the end
  const [past, drawPast] = useState<HistoryPage | null>(null);
  const [returns, setReturns] = useState(0);
  const top = end[0]?.id;
  const isKnown = start.of === undefined || start.of === top; // else the end was read anew, and begins elsewhere
  const before = isKnown ? start.before : (top ?? null);
  const now = useRef({ past, end, start, before, top });
  Object.assign(now.current, { end, start, before });
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
      if (!withPage(page.messages, now.current.end)) return setPast(page);
      setEnd((shown) => withPage(page.messages, shown) ?? shown);
      setStart(startOf(page));
      setPast(null);
    },
    [setEnd, setPast],
  );
  const asEnd = useCallback(() => {
    const { past: window, start: known, top: beginning } = now.current;
    if (!window) return null;
    setEnd(() => window.messages);
    setStart(startOf(window));
    setPast(null);
    return () => {
      now.current.top = beginning; // who goes back has the end of before, too
      setStart(known);
      setPast(window);
    };
  }, [setEnd, setPast]);
  // An end without its beginning: somebody has changed what was said before it, and what is shown may be gone.
  useEffect(() => {
    const former = now.current.top;
    now.current.top = top;
    if (!now.current.past || former === undefined || now.current.end.some((each) => each.id === former)) return;
    toast(strings.chat.changedElsewhere);
    toNewest();
  }, [top, toNewest]);
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
      if (wasPast || now.current.before !== cursor) return;
      setEnd((shown) => withOlder(page.messages, shown));
      setStart({ of: page.messages[0]?.id ?? now.current.end[0]?.id, before: page.before });
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
  return { messages: past?.messages ?? end, isPast: past !== null, older, newer, goTo, toNewest, returns, asEnd };
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
