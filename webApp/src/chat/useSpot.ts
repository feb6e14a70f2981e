/** `/?chat=ID&message=ID`: what the address names is shown, however far back it was said, and marked for a moment. */
import { useEffect, useRef, useState } from "react";
import { call } from "../api/client";
import { ApiError, asApiError } from "../api/errors";
import { addressOfChat } from "../session/address";
import { navigate, useSearchParam } from "../shell/router";
import { toast } from "../shell/toasts";
import { strings } from "../strings";
import type { ChatMessage } from "./message";
import type { Older } from "./useOlder";

const MARKED_MS = 4_000;

/** `spot`: the id of the message to show; null: none, or no longer. `isSeeking`: it is far back, and looked for. */
export function useSpot(sessionId: string, messages: ChatMessage[], older: Older): { spot: string | null; isSeeking: boolean } {
  const wanted = useSearchParam("message");
  const [spot, setSpot] = useState<string | null>(null);
  const [isSeeking, setSeeking] = useState(false);
  const shown = useRef(messages);
  shown.current = messages;
  const { reach } = older;

  useEffect(() => {
    if (wanted === null) return;
    const left = new AbortController();
    find(sessionId, wanted, left.signal)
      .then(async (id) => {
        const isIt = (each: ChatMessage) => each.id === id;
        setSeeking(!shown.current.some(isIt));
        const isThere = shown.current.some(isIt) || (await reach(isIt, left.signal));
        if (left.signal.aborted) return;
        setSeeking(false);
        if (isThere) setSpot(id);
        else toast(strings.memory.isOutOfReach);
        navigate(addressOfChat(sessionId), { replace: true }); // so that the same link leads here again
      })
      .catch((error: unknown) => {
        if (left.signal.aborted) return;
        const isGone = error instanceof ApiError && error.status === 404;
        toast(isGone ? strings.memory.isGoneMessage : asApiError(error).detail);
        navigate(addressOfChat(sessionId), { replace: true });
      });
    return () => left.abort();
  }, [sessionId, wanted, reach]);

  useEffect(() => {
    if (spot === null) return;
    const timer = setTimeout(() => setSpot(null), MARKED_MS);
    return () => clearTimeout(timer);
  }, [spot]);
  return { spot, isSeeking: isSeeking && wanted !== null };
}

/** Under which id it is shown: the steps of an answer have ids of their own. */
async function find(sessionId: string, messageId: string, signal: AbortSignal): Promise<string> {
  const path = { session_id: sessionId, message_id: messageId };
  return (await call("get", "/api/sessions/{session_id}/messages/{message_id}", { path, signal })).id;
}
