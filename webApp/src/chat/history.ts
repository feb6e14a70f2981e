/** What was said, as the server has it: the newest page first, others on demand. */
import { call } from "../api/client";
import { ApiError } from "../api/errors";
import type { ChatMessage } from "./message";

export interface HistoryPage {
  messages: ChatMessage[];
  before: string | null;
  /** null: there is nothing newer. */
  after: string | null;
  /** Of a page around a message: under which id that is shown. */
  around?: string | null;
}

/** Where a page is read, by the id of a message; the newest one without any. */
export interface Point {
  before?: string;
  after?: string;
  around?: string;
}

const PAGE = 50;

/** A session that nobody has written to yet may be unknown to the server: then nothing was said. */
export async function readHistory(sessionId: string, point: Point = {}, signal?: AbortSignal): Promise<HistoryPage> {
  try {
    const page = await call("get", "/api/sessions/{session_id}/messages", {
      path: { session_id: sessionId },
      query: { limit: PAGE, ...point },
      signal,
    });
    return { ...page, messages: page.messages as unknown as ChatMessage[] };
  } catch (error) {
    if (error instanceof ApiError && error.code === "session_not_found") return { messages: [], before: null, after: null };
    throw error;
  }
}

/** An older page in front of what is there; nothing twice. */
export function withOlder(older: ChatMessage[], shown: ChatMessage[]): ChatMessage[] {
  const known = new Set(shown.map((each) => each.id));
  return [...older.filter((each) => !known.has(each.id)), ...shown];
}

/** A page and what is shown, where they meet; null: they do not. What was said here has another id until it is read, so the
 *  page takes the place of all that it covers. */
export function withPage(page: ChatMessage[], shown: ChatMessage[]): ChatMessage[] | null {
  const places = new Map(shown.map((each, place) => [each.id, place]));
  const isShown = (each: ChatMessage) => places.has(each.id);
  const [first, last] = [page.findIndex(isShown), page.findLastIndex(isShown)];
  if (first < 0) return null;
  const from = places.get(page[first]!.id)! - first;
  const to = places.get(page[last]!.id)! + page.length - last;
  return [...shown.slice(0, Math.max(0, from)), ...page, ...shown.slice(to)];
}

/** Whether an answer is missing: it may be on its way, or it failed before its first word. */
export const isUnanswered = (messages: ChatMessage[]): boolean => messages.at(-1)?.role === "user";
