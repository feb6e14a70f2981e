/** `fetch`, that tells how much of the body has gone out: fetch itself does not know. */
import type { Send } from "../api/client";

/** `onShare`: from 0 to 1. */
export const sendWith =
  (onShare: (share: number) => void): Send =>
  (url, init) =>
    new Promise<Response>((resolve, reject) => {
      const request = new XMLHttpRequest();
      const abort = () => request.abort();
      request.open(init.method ?? "POST", String(url));
      new Headers(init.headers).forEach((value, name) => request.setRequestHeader(name, value));
      request.upload.onprogress = ({ loaded, total, lengthComputable }) => lengthComputable && total > 0 && onShare(loaded / total);
      request.onload = () => {
        const after = request.getResponseHeader("Retry-After");
        const told = { status: request.status, headers: after === null ? undefined : { "Retry-After": after } };
        try {
          resolve(new Response(request.responseText || null, told)); // a 204 may not even have an empty body
        } catch (error) {
          reject(error as Error); // a status that Response does not know
        }
      };
      request.onerror = () => reject(new TypeError("nobody answered")); // as fetch says it
      request.onabort = () => reject(new DOMException("", "AbortError"));
      request.onloadend = () => init.signal?.removeEventListener("abort", abort);
      init.signal?.addEventListener("abort", abort);
      if (init.signal?.aborted) reject(new DOMException("", "AbortError"));
      else request.send(init.body as FormData);
    });
