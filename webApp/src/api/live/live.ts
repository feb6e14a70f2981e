/** What happens to the user's things, in this tab or anywhere: events by type, for whoever wants to know. */
import { useEffect, useRef } from "react";
import type { LiveEvent } from "./eventStream";

export type LiveType = "hello" | "reset" | "session" | "title" | "turn" | "memory" | "knowledge";
type Listener = (event: LiveEvent) => void;

const listeners = new Map<string, Set<Listener>>();

/** Calls `listener` with every event of this type, until the returned function is called. */
export function onLive(type: LiveType, listener: Listener): () => void {
  const those = listeners.get(type) ?? new Set();
  listeners.set(type, those.add(listener));
  return () => void those.delete(listener);
}

export function tellLive(event: LiveEvent): void {
  for (const listener of [...(listeners.get(event.type) ?? [])]) {
    try {
      listener(event);
    } catch (error) {
      reportError(error); // one that fails does not keep the others from hearing
    }
  }
}

/** `useLive("knowledge", ({ data }) => ...)`: as long as the component is there. */
export function useLive(type: LiveType, listener: Listener): void {
  const current = useRef(listener);
  useEffect(() => {
    current.current = listener;
  });
  useEffect(() => onLive(type, (event) => current.current(event)), [type]);
}
