/** `GET /api/events`, kept open: comes back after every end, where it was, with patience that grows. */
import { authorizedFetch, isAbort } from "../client";
import { asApiError } from "../errors";
import { EventReader, type LiveEvent } from "./eventStream";

const SILENCE_MS = 40_000; // the server says something every 15 s; a laptop that slept hears nothing
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

export interface Place {
  /** The id of the last event that was seen; null: none yet. */
  last: () => string | null;
  hear: (event: LiveEvent) => void;
}

/** Listens until the signal says stop. */
export async function keepListening(place: Place, signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    let asked: number | null = null;
    try {
      await listenOnce(
        (event) => {
          failures = 0;
          place.hear(event);
        },
        place.last(),
        signal,
      );
    } catch (error) {
      if (!isAbort(error)) asked = asApiError(error).retryAfter;
    }
    if (signal.aborted) return;
    await pause(waitMs(failures++, asked), signal);
  }
}

/** Doubled with every failure in a row, and never the same for everybody: a server that comes back is not stormed. */
export function waitMs(failures: number, askedSeconds: number | null, random = Math.random()): number {
  const grown = Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures, 10), LONGEST_WAIT_MS);
  const least = Math.min((askedSeconds ?? 0) * 1000, LONGEST_WAIT_MS);
  return Math.max(least, grown * (0.5 + random / 2));
}

async function listenOnce(hear: (event: LiveEvent) => void, last: string | null, signal: AbortSignal): Promise<void> {
  const attempt = new AbortController();
  const stop = () => attempt.abort();
  signal.addEventListener("abort", stop, { once: true });
  let silence = setTimeout(stop, SILENCE_MS);
  try {
    const headers: Record<string, string> = { Accept: "text/event-stream" };
    if (last !== null) headers["Last-Event-ID"] = last;
    const response = await authorizedFetch("/api/events", { headers, signal: attempt.signal, cache: "no-store" });
    const pieces = response.body?.getReader();
    if (!pieces) return;
    const decoder = new TextDecoder();
    const events = new EventReader();
    for (;;) {
      const { done, value } = await pieces.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(stop, SILENCE_MS);
      events.take(decoder.decode(value, { stream: true })).forEach(hear);
    }
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", stop);
    attempt.abort(); // whatever broke the loop, the socket does not stay
  }
}

/** Waits; ends at once when the network is back, or the user is. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener("online", end);
    signal.addEventListener("abort", end);
  });
}
