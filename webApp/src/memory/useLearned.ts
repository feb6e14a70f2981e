import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { call } from "../api/client";
import { ApiError } from "../api/errors";
import { keys } from "../api/query";
import type { Memory } from "../api/types";
import type { ChatMessage } from "../chat/message";
import { useChatStore } from "../session/useChatStore";
import { learnedAfter, mayHaveLearned, revisionOf } from "./answer";

const PAGE = 200;
const MOST_PAGES = 5;
const ASK_EVERY_MS = 2_500;
const ASK_FOR_MS = 20_000; // memory is made after the reply; later it is told by an event, which makes the list stale

/** What was learned after this answer. All answers of a session share one list. */
export function useLearned(message: ChatMessage): Memory[] {
  const sessionId = useChatStore((state) => state.sessionId);
  const revision = revisionOf(message);
  const isWaiting = useIsFresh(revision?.status === "starting");
  const { data } = useQuery({
    queryKey: [...keys.memories, "session", sessionId],
    queryFn: ({ signal }) => learnedIn(sessionId ?? "", signal),
    enabled: sessionId !== null && mayHaveLearned(revision),
    refetchInterval: isWaiting ? ASK_EVERY_MS : false,
  });
  return learnedAfter(data ?? [], message.metadata?.turn_id);
}

/** True for a while after something has begun. */
function useIsFresh(hasBegun: boolean): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (!hasBegun) return;
    const timer = setTimeout(() => setOver(true), ASK_FOR_MS);
    return () => clearTimeout(timer);
  }, [hasBegun]);
  return hasBegun && !isOver;
}

async function learnedIn(sessionId: string, signal: AbortSignal): Promise<Memory[]> {
  const found: Memory[] = [];
  let before: number | null = null;
  try {
    for (let page = 0; page < MOST_PAGES; page++) {
      const query: { session_id: string; superseded: boolean; limit: number; before?: number } = { session_id: sessionId, superseded: true, limit: PAGE };
      if (before !== null) query.before = before;
      const answer = await call("get", "/api/memories", { query, signal });
      found.push(...answer.memories);
      before = answer.before;
      if (before === null) break;
    }
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error; // a session that nobody has written to yet
  }
  return found;
}
