/** A stream of server-sent events that outlives its connection: when it breaks, it goes on behind the last whole event. */
import { ApiError } from "../api/errors";
import { strings } from "../strings";

interface Reconnect {
  /** The rest behind an event (null: from the start); null when the server knows of nothing more. */
  rest: (lastEventId: string | null) => Promise<ReadableStream<Uint8Array> | null>;
  /** Waits before another try. */
  pause: (tries: number) => Promise<void>;
  signal?: AbortSignal | null;
}

const TRIES = 8; // without anything new in between
const END = "\n\n";

/** What one event says of itself. */
export function frameOf(frame: string): { id: string | null; isLast: boolean } {
  let id: string | null = null;
  let isLast = false;
  for (const line of frame.split("\n")) {
    if (line.startsWith("id:")) id = line.slice(3).trim();
    if (line.startsWith("data:") && line.slice(5).trim() === "[DONE]") isLast = true;
  }
  return { id, isLast };
}

/** Whole events only: half of one that the break cut off would come again. */
export function steady(first: ReadableStream<Uint8Array>, reconnect: Reconnect): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let reader = first.getReader();
  let decoder = new TextDecoder();
  let buffered = "";
  let lastId: string | null = null;
  let tries = 0;

  function take(controller: ReadableStreamDefaultController<Uint8Array>): boolean | "done" {
    let isNew = false;
    for (let end = buffered.indexOf(END); end >= 0; end = buffered.indexOf(END)) {
      const frame = buffered.slice(0, end + END.length);
      buffered = buffered.slice(end + END.length);
      const { id, isLast } = frameOf(frame);
      lastId = id ?? lastId;
      if (id) tries = 0;
      controller.enqueue(encoder.encode(frame));
      isNew = true;
      if (isLast) return "done";
    }
    return isNew;
  }

  async function reopen(): Promise<void> {
    buffered = "";
    decoder = new TextDecoder();
    for (;;) {
      if (reconnect.signal?.aborted) throw new DOMException("", "AbortError");
      if (tries >= TRIES) throw new ApiError(0, "interrupted", strings.errors.interrupted);
      await reconnect.pause(tries++);
      try {
        const rest = await reconnect.rest(lastId);
        if (!rest) throw new ApiError(0, "interrupted", strings.errors.interrupted);
        reader = rest.getReader();
        return;
      } catch (error) {
        const mayComeBack = error instanceof ApiError && error.code !== "interrupted" && (error.isOffline || error.status >= 500);
        if (!mayComeBack) throw error;
      }
    }
  }

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const read = await reader.read().catch(() => null); // null: the connection broke
        if (read?.value) {
          buffered += decoder.decode(read.value, { stream: true });
          const taken = take(controller);
          if (taken === "done") return controller.close();
          if (taken) return;
        } else {
          await reopen();
        }
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
