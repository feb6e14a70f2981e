/** What another tab or device says in the open conversation: read when it is told of, then listened to as it is written. */
import { useRef } from "react";
import { useLive } from "../api/live/live";
import { readHistory } from "./history";
import type { ChatMessage } from "./message";

interface Shown {
  messages: ChatMessage[];
  /** Then what runs is our own, or heard already. */
  isAnswering: boolean;
  setMessages: (change: (shown: ChatMessage[]) => ChatMessage[]) => void;
  resumeStream: () => Promise<void>;
}

export function useOthers(sessionId: string, { messages, isAnswering, setMessages, resumeStream }: Shown): void {
  const isReading = useRef(false);
  const read = async () => {
    if (isReading.current) return;
    isReading.current = true;
    try {
      const { messages: now } = await readHistory(sessionId);
      setMessages((shown) => withNewest(shown, now));
      await resumeStream();
    } catch {
      // the next event tries again, and so does whoever writes
    } finally {
      isReading.current = false;
    }
  };
  useLive("turn", ({ data }) => {
    if (data.session_id !== sessionId || isAnswering) return;
    if (!messages.some((each) => each.id === data.reply_message_id)) void read();
  });
}

/** The newest page as it is now, behind the older ones that are shown. */
export function withNewest(shown: ChatMessage[], newest: ChatMessage[]): ChatMessage[] {
  const at = shown.findIndex((each) => each.id === newest[0]?.id);
  return at > 0 ? [...shown.slice(0, at), ...newest] : newest;
}
