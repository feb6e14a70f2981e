/** Where we are, by the history API: no more than the handful of pages needs. */
import { useSyncExternalStore } from "react";

const CHANGED = "chat:navigated";

export function navigate(path: string, options: { replace?: boolean } = {}): void {
  if (path === location.pathname + location.search) return;
  if (options.replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  dispatchEvent(new Event(CHANGED));
}

function subscribe(listen: () => void): () => void {
  addEventListener("popstate", listen);
  addEventListener(CHANGED, listen);
  return () => {
    removeEventListener("popstate", listen);
    removeEventListener(CHANGED, listen);
  };
}

export const usePath = (): string => useSyncExternalStore(subscribe, () => location.pathname);

/** One parameter of the address: `/memory?id=...`. */
export const useSearchParam = (name: string): string | null =>
  useSyncExternalStore(subscribe, () => new URLSearchParams(location.search).get(name));
