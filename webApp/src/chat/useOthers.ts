/** What another tab or device says in the open conversation: read when it is told of, then listened to as it is written. */
import { useEffect, useRef } from "react";
import { asApiError } from "../api/errors";
import { useLive } from "../api/live/live";
import { isUnanswered, readHistory } from "./history";
import { isCutOff, type ChatMessage } from "./message";

const AGAIN_MS = 2_000;
const DRAWN_MS = 100; // what useChat has heard is drawn a moment later
const ANYTHING = ""; // no message has this id

interface Shown {
  messages: ChatMessage[];
  /** Then what runs is our own, or heard already. */
  isAnswering: boolean;
  /** Then the user is told so, until he tries again or somebody says something. */
  hasFailed: boolean;
  setMessages: (change: (shown: ChatMessage[]) => ChatMessage[]) => void;
  resumeStream: () => Promise<void>;
}

export function useOthers(sessionId: string, { messages, isAnswering, hasFailed, setMessages, resumeStream }: Shown): void {
  const isReading = useRef(false);
  const told = useRef<string[]>([]); // of which answers, that we have not read since
  const left = useRef(new AbortController());
  useEffect(() => {
    const leaving = (left.current = new AbortController());
    return () => leaving.abort();
  }, [sessionId]);
  const shown = useRef({ messages, isAnswering, hasFailed });
  shown.current = { messages, isAnswering, hasFailed };
  const isUnwanted = (signal: AbortSignal) => signal.aborted || shown.current.isAnswering; // asked after every wait
  /** An answer that was cut off is there as it is while the user is told so, and no longer. */
  const isWhole = (each: ChatMessage) => shown.current.hasFailed || !isCutOff(each);
  const isMissing = (id: string) => !shown.current.messages.some((each) => each.id === id && isWhole(each));
  const isBehind = () => (told.current = told.current.filter(isMissing)).length > 0;
  const lastId = () => shown.current.messages.at(-1)?.id;

  /** Whether what is there is shown; where something was asked here meanwhile, that may be newer. */
  const readOnce = async (isNewsOnly: boolean, signal: AbortSignal): Promise<boolean> => {
    const last = lastId();
    const { messages: now } = await readHistory(sessionId, {}, signal);
    if (isUnwanted(signal) || lastId() !== last) return false;
    // What was asked here has another id until it is read.
    const isNews = ({ id, role }: ChatMessage, place: number) => isMissing(id) && (role === "assistant" || place === now.length - 1);
    const answer = shown.current.messages.findLast(({ role }) => role === "assistant");
    const isGone = answer !== undefined && !now.some(({ id }) => id === answer.id); // it was erased, or replaced
    if (isNewsOnly && !isGone && !now.some(isNews)) return true;
    setMessages((before) => withNewest(before, now));
    await resumeStream();
    await new Promise((resolve) => setTimeout(resolve, DRAWN_MS));
    // An answer that was neither there nor to be heard may have been finished in between.
    if (isUnanswered(now) && isUnanswered(shown.current.messages)) told.current.push(ANYTHING);
    return true;
  };
  const read = async (signal = left.current.signal) => {
    if (isReading.current) return;
    isReading.current = true;
    let wanted: string[] = [];
    try {
      while (isBehind() && !isUnwanted(signal)) {
        wanted = told.current.splice(0);
        const isShown = await readOnce(!wanted.some(Boolean), signal);
        if (!isShown) told.current.push(...wanted);
      }
    } catch (error) {
      told.current.push(...wanted);
      // An event may come through a line that nothing else comes through yet.
      if (asApiError(error).isOffline && !signal.aborted) setTimeout(() => void read(signal), AGAIN_MS);
    } finally {
      isReading.current = false;
    }
  };
  useLive("turn", ({ data }) => {
    if (data.session_id !== sessionId) return;
    told.current.push(String(data.reply_message_id));
    if (isBehind()) void read();
  });
  // What was told of while an answer was written here: that answer, as a rule, which is there now.
  useEffect(() => {
    if (isAnswering || hasFailed) return;
    const timer = setTimeout(() => {
      told.current.push(...shown.current.messages.filter(isCutOff).map(({ id }) => id));
      if (isBehind()) void read();
    }, DRAWN_MS);
    return () => clearTimeout(timer);
  }, [isAnswering, hasFailed]);
  // From here on events are told: what was said between our reading and this is told by nobody.
  const lookAgain = () => {
    told.current.push(ANYTHING);
    void read();
  };
  useLive("hello", lookAgain);
  useLive("reset", lookAgain);
}

/** The newest page as it is now, behind the older ones that are shown. */
export function withNewest(shown: ChatMessage[], newest: ChatMessage[]): ChatMessage[] {
  const at = shown.findIndex((each) => each.id === newest[0]?.id);
  return at > 0 ? [...shown.slice(0, at), ...newest] : newest;
}
