/** One conversation: useChat on our transport, with the server's stop, and ways to go on after a failure. */
import { useChat } from "@ai-sdk/react";
import { useQueryClient } from "@tanstack/react-query";
import type { FileUIPart } from "ai";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { call } from "../api/client";
import { ApiError, asApiError } from "../api/errors";
import { keys } from "../api/query";
import { generateNewSessionId } from "../session/generateNewSessionId";
import { toast } from "../shell/toasts";
import { isUnanswered, readHistory, type HistoryPage } from "./history";
import type { ChatMessage } from "./message";
import { transportFor } from "./transport";
import { useOlder } from "./useOlder";
import { useOthers } from "./useOthers";

const THROTTLE_MS = 50;

export function useConversation(sessionId: string, agentName: string, history: HistoryPage) {
  const queries = useQueryClient();
  const transport = useMemo(() => transportFor(sessionId, agentName), [sessionId, agentName]);
  const chat = useChat<ChatMessage>({
    id: sessionId,
    messages: history.messages,
    transport,
    generateId: generateNewSessionId,
    experimental_throttle: THROTTLE_MS,
    onFinish: () => void queries.invalidateQueries({ queryKey: keys.sessions }),
  });
  const { messages, status, error, setMessages, sendMessage, regenerate, resumeStream, clearError } = chat;
  const isAnswering = status === "submitted" || status === "streaming";
  const closeSocket = useRef(chat.stop);
  closeSocket.current = chat.stop;

  const isAnew = useRef(false); // what was asked for last: an answer anew, not a message of its own
  const resumed = useRef<Promise<void>>(Promise.resolve());
  useEffect(() => {
    let isGone = false;
    resumed.current = (async () => {
      await resumeStream();
      // The answer may have been finished between reading the history and asking for the stream.
      if (isGone || !isUnanswered(history.messages)) return;
      const now = await readHistory(sessionId).catch(() => null);
      if (now && !isGone) setMessages((shown) => (isUnanswered(shown) ? now.messages : shown));
    })();
    return () => {
      isGone = true;
      void closeSocket.current(); // the turn goes on without us; we come back to it
    };
  }, [sessionId, history, resumeStream, setMessages]);

  const stop = useCallback(async () => {
    try {
      await call("post", "/api/chat/{session_id}/stop", { path: { session_id: sessionId } });
    } catch (failure) {
      toast(asApiError(failure).detail);
    }
  }, [sessionId]);

  const send = useCallback(
    (text: string, files: FileUIPart[]) => {
      clearError();
      isAnew.current = false;
      // Whether something runs is known in a moment; useChat would take that answer for the end of ours.
      void resumed.current.then(() => sendMessage(text ? { text, files } : { files }));
    },
    [clearError, sendMessage],
  );

  const edit = useCallback(
    (message: ChatMessage, text: string) => {
      const files = message.parts.filter((part) => part.type === "file");
      clearError();
      isAnew.current = false;
      void sendMessage({ text, files, messageId: message.id, metadata: { isEdited: true } });
    },
    [clearError, sendMessage],
  );

  const again = useCallback(
    (message?: ChatMessage) => {
      clearError();
      isAnew.current = true;
      void regenerate(message ? { messageId: message.id } : {});
    },
    [clearError, regenerate],
  );

  /** After a failure: a message that the server never took is sent again under its own id, what it began is answered anew. */
  const retry = useCallback(() => {
    clearError();
    if (isUnanswered(messages) && !isAnew.current && !hasBegun(error)) void sendMessage();
    else again(messages.at(-1));
  }, [again, clearError, error, messages, sendMessage]);

  useOthers(sessionId, { messages, isAnswering, setMessages, resumeStream });
  const older = useOlder(sessionId, history.before, setMessages);
  return { messages, status, error: error ? told(error) : null, isAnswering, send, edit, again, retry, stop, older };
}

/** Whether the server has a turn that failed: repeating its key would only tell of the failure again. */
const hasBegun = (error: Error | undefined): boolean =>
  error !== undefined && (!(error instanceof ApiError) || error.code.startsWith("model_"));

/** The `error` of a stream is the server's sentence. */
const told = (error: Error): ApiError =>
  error instanceof ApiError || error instanceof TypeError ? asApiError(error) : new ApiError(502, "model_failed", error.message);
