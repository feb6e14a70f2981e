/** What was said, as the server has it: the newest page first, older ones on demand. */
import { call } from "../api/client";
import { ApiError } from "../api/errors";
import type { ChatMessage } from "./message";

export interface HistoryPage {
  messages: ChatMessage[];
  before: string | null;
}

const PAGE = 50;
export const FULL_PAGE = 200; // the largest that the server gives

/** A session that nobody has written to yet may be unknown to the server: then nothing was said. */
export async function readHistory(sessionId: string, before?: string, signal?: AbortSignal, limit = PAGE): Promise<HistoryPage> {
  try {
    const page = await call("get", "/api/sessions/{session_id}/messages", {
      path: { session_id: sessionId },
      query: { limit, before },
      signal,
    });
    return { messages: page.messages as unknown as ChatMessage[], before: page.before ?? null };
  } catch (error) {
    if (error instanceof ApiError && error.code === "session_not_found") return { messages: [], before: null };
    throw error;
  }
}

/** An older page in front of what is there; nothing twice. */
export function withOlder(older: ChatMessage[], shown: ChatMessage[]): ChatMessage[] {
  const known = new Set(shown.map((each) => each.id));
  return [...older.filter((each) => !known.has(each.id)), ...shown];
}

/** Whether an answer is missing: it may be on its way, or it failed before its first word. */
export const isUnanswered = (messages: ChatMessage[]): boolean => messages.at(-1)?.role === "user";
