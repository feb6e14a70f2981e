/** The prompt that a message would make, and the answer that came last. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "../api/client";
import { keys } from "../api/query";
import { hasText, textOf, type ChatMessage, type Metadata } from "../chat/message";

const LAST = 6; // stored messages: the last question and its answer, with a few tools

interface LastTurn {
  question: string | null;
  answer: Metadata | null;
}

export function useLastTurn(sessionId: string) {
  return useQuery({
    queryKey: [...keys.preview, "last", sessionId],
    queryFn: async ({ signal }): Promise<LastTurn> => {
      const path = { session_id: sessionId };
      const page = await call("get", "/api/sessions/{session_id}/messages", { path, query: { limit: LAST }, signal });
      const messages = page.messages as unknown as ChatMessage[];
      const question = messages.findLast((each) => each.role === "user" && hasText(each));
      const answer = messages.findLast((each) => each.role === "assistant");
      return { question: question ? textOf(question) : null, answer: answer?.metadata ?? null };
    },
    staleTime: 0,
  });
}

/** null: nothing to show yet. */
export function usePreview(sessionId: string, message: string | null) {
  return useQuery({
    queryKey: [...keys.preview, sessionId, message],
    queryFn: ({ signal }) => call("post", "/api/context/preview", { body: { message, session_id: sessionId } as never, signal }),
    enabled: message !== null,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}
