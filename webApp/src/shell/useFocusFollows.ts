import { useEffect, useRef } from "react";

const ACTS = "button:not(:disabled), a[href], input, textarea";

/** Who acts by keyboard stays where he acted: when `state` changes and what had the focus is gone with it, the focus goes
 * to what came instead, within the element of the ref, or else to what it is in. */
export function useFocusFollows<T extends HTMLElement>(state: unknown, instead = ACTS) {
  const ref = useRef<T>(null);
  const before = useRef(state);
  useEffect(() => {
    if (before.current === state) return;
    before.current = state;
    if (!isFocusLost()) return;
    ref.current?.querySelector<HTMLElement>(instead)?.focus({ preventScroll: true });
    if (isFocusLost()) ref.current?.closest<HTMLElement>("[tabindex]")?.focus({ preventScroll: true }); // it may be hidden
  }, [state, instead]);
  return ref;
}

export function isFocusLost(): boolean {
  return !document.activeElement || document.activeElement === document.body;
}
