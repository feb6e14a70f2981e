import { useQueries } from "@tanstack/react-query";
import { call } from "../api/client";
import { keys } from "../api/query";
import { textOf, type ChatMessage } from "../chat/message";
import { plainText } from "../shell/plainText";
import { strings } from "../strings";
import { ago } from "./moments";

const words = strings.memory;

/** Messages of a chat, where they are there: what each says, and who said it when. */
export function useSaid(sessionId: string, messageIds: string[]) {
  const found = useQueries({
    queries: messageIds.map((messageId) => ({
      queryKey: [...keys.sessions, "message", sessionId, messageId],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call("get", "/api/sessions/{session_id}/messages/{message_id}", { path: { session_id: sessionId, message_id: messageId }, signal }),
      staleTime: Infinity,
    })),
  });
  return found.map(({ data, error }) => ({ error, said: data && said(data as unknown as ChatMessage) }));
}

function said(message: ChatMessage) {
  const who = message.role === "user" ? words.youSaid : words.answerSaid;
  return { text: plainText(textOf(message)), when: `${who} ${ago(message.metadata?.created_at)}` };
}
