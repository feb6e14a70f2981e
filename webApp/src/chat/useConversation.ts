/** One conversation: useChat on our transport, with the server's stop, and ways to go on after a failure. */
import { useChat } from "@ai-sdk/react";
import { useQueryClient } from "@tanstack/react-query";
import type { FileUIPart } from "ai";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { call } from "../api/client";
import { ApiError, asApiError } from "../api/errors";
import { keys } from "../api/query";
import { generateNewSessionId } from "../session/generateNewSessionId";
import { useChatStore } from "../session/useChatStore";
import { toast } from "../shell/toasts";
import { strings } from "../strings";
import { isUnanswered, readHistory, type HistoryPage } from "./history";
import { textOf, type ChatMessage } from "./message";
import { transportFor } from "./transport";
import { useOthers, withNewest } from "./useOthers";
import { usePages } from "./usePages";

const THROTTLE_MS = 50;

/** `onHeard`: the server has these words after all, which it seemed not to have taken. */
export function useConversation(sessionId: string, agentName: string, history: HistoryPage, onHeard: (text: string) => void) {
  const queries = useQueryClient();
  const reloadConversation = useChatStore((state) => state.reloadConversation);
  const isTaken = useRef(() => {}); // called when the server takes what was asked
  const lastError = useRef<Error | null>(null); // of what was asked last
  const transport = useMemo(() => transportFor(sessionId, agentName, () => isTaken.current()), [sessionId, agentName]);
  const chat = useChat<ChatMessage>({
    id: sessionId,
    messages: history.messages,
    transport,
    generateId: generateNewSessionId,
    experimental_throttle: THROTTLE_MS,
    onError: (error) => void (lastError.current = error),
    onFinish: () => void queries.invalidateQueries({ queryKey: keys.sessions }),
  });
  const { messages, status, error, setMessages, sendMessage, regenerate, resumeStream, clearError } = chat;
  const isAnswering = status === "submitted" || status === "streaming";
  const now = useRef({ messages, isAnswering });
  now.current = { messages, isAnswering };
  const pages = usePages(sessionId, history, messages, setMessages);
  const { asEnd } = pages;
  const closeSocket = useRef(chat.stop);
  closeSocket.current = chat.stop;

  const refused = useRef<"message" | ChatMessage | null>(null); // a message, or an answer anew to this one
  const unsent = useRef<{ message: ChatMessage; behind?: string } | null>(null); // what was refused, and the question before it
  const listen = useCallback(() => {
    refused.current = null;
    return resumeStream();
  }, [resumeStream]);

  const resumed = useRef<Promise<void>>(Promise.resolve());
  useEffect(() => {
    let isGone = false;
    resumed.current = (async () => {
      await listen();
      // The answer may have been finished between reading the history and asking for the stream.
      if (isGone || !isUnanswered(history.messages)) return;
      const found = await readHistory(sessionId).catch(() => null);
      const question = history.messages.at(-1)?.id;
      if (found && !isGone) setMessages((shown) => (shown.at(-1)?.id === question ? found.messages : shown));
    })();
    return () => {
      isGone = true;
      void closeSocket.current(); // the turn goes on without us; we come back to it
    };
  }, [sessionId, history, listen, setMessages]);

  /** Until it is known whether something runs: useChat would take that answer for the end of what is asked meanwhile. */
  const known = useCallback(async () => {
    for (let seen; seen !== resumed.current; ) await (seen = resumed.current);
  }, []);

  const asking = useRef(Promise.resolve(false)); // whether the server takes what was asked last
  const stop = useCallback(async () => {
    const taken = asking.current;
    const end = () => call("post", "/api/chat/{session_id}/stop", { path: { session_id: sessionId } });
    try {
      if (await end()) return;
      // Nothing runs: what was sent may not have begun.
      if ((await taken) && taken === asking.current && now.current.isAnswering) await end();
    } catch (failure) {
      toast(asApiError(failure).detail);
    }
  }, [sessionId]);

  /** Whether the server takes it. What it refuses has changed nothing there: then nothing has changed here. */
  const ask = useCallback(
    async (request: () => Promise<void>): Promise<boolean> => {
      const before = now.current.messages;
      clearError();
      refused.current = lastError.current = null;
      asking.current = new Promise((tell) => {
        isTaken.current = () => tell(true);
        void request().finally(() => tell(false)); // with the answer, or without one
      });
      const wasTaken = await asking.current;
      if (!wasTaken) setMessages((shown) => withNewest(shown, before));
      return wasTaken;
    },
    [clearError, setMessages],
  );

  const [sent, setSent] = useState<ChatMessage | null>(null); // until the server has taken it
  const waiting = messages.some(({ id }) => id === sent?.id) ? null : sent;
  const send = useCallback(
    async (text: string, files: FileUIPart[]): Promise<boolean> => {
      const parts: ChatMessage["parts"] = text ? [...files, { type: "text", text }] : files;
      const written: ChatMessage = { id: generateNewSessionId(), role: "user", parts };
      setSent(written);
      await known();
      const message = sameOr(unsent.current?.message, written);
      const behind = lastQuestion(now.current.messages)?.id;
      unsent.current = null;
      setSent(message);
      const wasTaken = await ask(() => sendMessage(message));
      setSent(null);
      unsent.current = wasTaken || isOver(lastError.current) ? null : { message, behind };
      if (!wasTaken) refused.current = "message";
      return wasTaken;
    },
    [ask, known, sendMessage],
  );

  useEffect(() => {
    const lost = unsent.current;
    const last = lastQuestion(messages);
    if (!lost || !last || last.id === lost.behind || textOf(last) !== textOf(lost.message)) return;
    unsent.current = null;
    onHeard(textOf(last));
  }, [messages, onHeard]);

  /** Why the last was refused. */
  const tell = useCallback(() => {
    if (!lastError.current) return;
    toast(told(lastError.current).detail);
    clearError();
  }, [clearError]);

  const edit = useCallback(
    async (message: ChatMessage, text: string): Promise<boolean> => {
      if (now.current.isAnswering) {
        toast(strings.chat.editWaits);
        return false;
      }
      await known();
      const files = message.parts.filter((part) => part.type === "file");
      const goBack = asEnd();
      const wasTaken = await ask(() => sendMessage({ text, files, messageId: message.id }).catch(saysGone));
      if (!wasTaken) tell(); // beside the form, which stays open
      if (!wasTaken) goBack?.();
      return wasTaken;
    },
    [ask, asEnd, known, sendMessage, tell],
  );

  const again = useCallback(
    async (message: ChatMessage): Promise<void> => {
      await known();
      const goBack = asEnd();
      if (await ask(() => regenerate({ messageId: message.id }).catch(saysGone))) return;
      if (!goBack) return void (refused.current = message);
      tell(); // the end, with its notices, is far away
      goBack();
    },
    [ask, asEnd, known, regenerate, tell],
  );

  const problem = error ? told(error) : null;
  /** After a failure: what was refused is asked for once more, what failed is answered anew; else the server may know more. */
  const retry = (resend: () => void) => {
    const what = refused.current ?? (problem?.code === "model_failed" ? messages.at(-1) : null);
    clearError();
    if (what === "message") resend();
    else if (what) void again(what);
    else reloadConversation();
  };

  const hear = () => (resumed.current = listen());
  useOthers(sessionId, { messages, isAnswering, hasFailed: problem !== null, setMessages, resumeStream: hear });
  return { messages, waiting, status, error: problem, isAnswering, send, edit, again, retry, stop, pages };
}

/** The message of before where it says the same: under its own id it is safe to repeat, should the server have heard it. */
const sameOr = (before: ChatMessage | undefined, message: ChatMessage): ChatMessage =>
  before && JSON.stringify(before.parts) === JSON.stringify(message.parts) ? before : message;

/** What is to be edited, or answered anew, was changed elsewhere while we waited. */
const saysGone = () => void toast(strings.chat.notThere);

const lastQuestion = (messages: ChatMessage[]) => messages.findLast((each) => each.role === "user");

/** Whether the server knows the message's id from a turn that cannot be taken up again. */
const isOver = (error: Error | null): boolean => error instanceof ApiError && error.code === "model_failed";

/** The `error` of a stream is the server's sentence. */
const told = (error: Error): ApiError =>
  error instanceof ApiError || error instanceof TypeError ? asApiError(error) : new ApiError(502, "model_failed", error.message);
