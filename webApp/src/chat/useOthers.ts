/** What another tab or device says in the open conversation: read when it is told of, then listened to as it is written. */
import { useEffect, useRef } from "react";
import { asApiError } from "../api/errors";
import { useLive } from "../api/live/live";
import { readHistory } from "./history";
import type { ChatMessage } from "./message";

const AGAIN_MS = 2_000;

interface Shown {
  messages: ChatMessage[];
  /** Then what runs is our own, or heard already. */
  isAnswering: boolean;
  setMessages: (change: (shown: ChatMessage[]) => ChatMessage[]) => void;
  resumeStream: () => Promise<void>;
}

export function useOthers(sessionId: string, { messages, isAnswering, setMessages, resumeStream }: Shown): void {
  const isReading = useRef(false);
  const left = useRef(new AbortController());
  useEffect(() => {
    const leaving = (left.current = new AbortController());
    return () => leaving.abort();
  }, [sessionId]);
  const shown = useRef({ messages, isAnswering });
  shown.current = { messages, isAnswering };
  const read = async (isNewsOnly = false, signal = left.current.signal) => {
    const isUnwanted = () => signal.aborted || shown.current.isAnswering; // asked after every wait
    if (isReading.current || isUnwanted()) return;
    isReading.current = true;
    try {
      const { messages: now } = await readHistory(sessionId, undefined, signal);
      if (isUnwanted() || (isNewsOnly && now.at(-1)?.id === shown.current.messages.at(-1)?.id)) return;
      setMessages((before) => withNewest(before, now));
      await resumeStream();
    } catch (error) {
      // An event may come through a line that nothing else comes through yet.
      if (asApiError(error).isOffline && !signal.aborted) setTimeout(() => void read(isNewsOnly, signal), AGAIN_MS);
    } finally {
      isReading.current = false;
    }
  };
  useLive("turn", ({ data }) => {
    if (data.session_id !== sessionId) return;
    if (!messages.some((each) => each.id === data.reply_message_id)) void read();
  });
  // From here on events are told: what was said between our reading and this is told by nobody.
  const lookAgain = () => void read(true);
  useLive("hello", lookAgain);
  useLive("reset", lookAgain);
}

/** The newest page as it is now, behind the older ones that are shown. */
export function withNewest(shown: ChatMessage[], newest: ChatMessage[]): ChatMessage[] {
  const at = shown.findIndex((each) => each.id === newest[0]?.id);
  return at > 0 ? [...shown.slice(0, at), ...newest] : newest;
}
