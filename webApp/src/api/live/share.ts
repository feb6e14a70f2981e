/** One connection for all tabs of a browser: the tab that holds the lock listens and passes on; when it closes, the
 * next one goes on from the last event that it has seen itself. */
import { keepListening, type Place } from "./connection";
import { isAfter, type LiveEvent } from "./eventStream";

interface Surroundings {
  locks?: LockManager;
  listen?: (place: Place, signal: AbortSignal) => Promise<void>;
}

/** Tells every event once, in order, whichever tab heard it; returns how to stop. */
export function shareEvents(userId: string, tell: (event: LiveEvent) => void, around: Surroundings = {}): () => void {
  const { locks = navigator.locks as LockManager | undefined, listen = keepListening } = around;
  const name = `chatEvents_${userId}`;
  const over = new AbortController();
  const channel = new BroadcastChannel(name);
  let seen: string | null = null;

  const take = (event: LiveEvent) => {
    if (over.signal.aborted) return;
    // A hello with the number that we have says that nothing was missed. Only after a reset may numbers begin anew.
    if (event.type !== "reset" && !isAfter(event.id, seen)) return;
    seen = event.id;
    tell(event);
  };
  channel.onmessage = ({ data }: MessageEvent<LiveEvent>) => take(data);

  const lead = () =>
    listen(
      {
        last: () => seen,
        hear: (event) => {
          channel.postMessage(event);
          take(event);
        },
      },
      over.signal,
    );
  // Pages that did not come over HTTPS have no locks: each of their tabs listens for itself, and says nothing twice.
  const leading = locks ? locks.request(name, { signal: over.signal }, lead) : lead();
  leading.catch(() => undefined); // given up while waiting for its turn

  return () => {
    over.abort();
    channel.close();
  };
}
