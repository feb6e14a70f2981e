/** `/?chat=ID&message=ID`: what the address names is shown, however far back it was said, and marked for a moment. */
import { useEffect, useRef, useState } from "react";
import { ApiError, asApiError } from "../api/errors";
import { addressOfChat } from "../session/address";
import { navigate, useSearchParam } from "../shell/router";
import { toast } from "../shell/toasts";
import { strings } from "../strings";
import type { Pages } from "./usePages";

const MARKED_MS = 4_000;

/** `spot`: the id of the message to show; null: none, or no longer. `isSeeking`: it is far back, and looked for. */
export function useSpot(sessionId: string, { messages, goTo }: Pick<Pages, "messages" | "goTo">): { spot: string | null; isSeeking: boolean } {
  const wanted = useSearchParam("message");
  const [spot, setSpot] = useState<string | null>(null);
  const [isSeeking, setSeeking] = useState(false);
  const shown = useRef(messages);
  shown.current = messages;

  useEffect(() => {
    if (wanted === null) return;
    const left = new AbortController();
    const isThere = shown.current.some((each) => each.id === wanted);
    setSeeking(!isThere);
    (isThere ? Promise.resolve(wanted) : goTo(wanted, left.signal))
      .then((id) => {
        if (left.signal.aborted) return;
        setSeeking(false);
        setSpot(id);
        navigate(addressOfChat(sessionId), { replace: true }); // so that the same link leads here again
      })
      .catch((error: unknown) => {
        if (left.signal.aborted) return;
        setSeeking(false);
        const isGone = error instanceof ApiError && [404, 422].includes(error.status); // 422: it is no message's id at all
        toast(isGone ? strings.memory.isGoneMessage : asApiError(error).detail);
        navigate(addressOfChat(sessionId), { replace: true });
      });
    return () => left.abort();
  }, [sessionId, wanted, goTo]);

  useEffect(() => {
    if (spot === null) return;
    const timer = setTimeout(() => setSpot(null), MARKED_MS);
    return () => clearTimeout(timer);
  }, [spot]);
  return { spot, isSeeking: isSeeking && wanted !== null };
}
