/** The end stays in view while it grows, unless the reader has gone elsewhere; pages put in front move nothing. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

const NEAR_PX = 48;

/** Browsers that keep what is read in its place by themselves do so everywhere but at the very top. */
const keepsPlace = typeof CSS !== "undefined" && CSS.supports?.("overflow-anchor", "auto");

/** `ends`: grows when the end is to be shown. `isPast`: what is shown ends where the conversation goes on. */
export function useScroll(firstId: string | undefined, ends: number, isPast: boolean) {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [isAtEnd, setAtEnd] = useState(true);
  const past = useRef(isPast);
  past.current = isPast;

  const toEnd = useCallback(() => {
    follows.current = true;
    setAtEnd(true);
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, []);

  /** A message in the middle of the screen, and where a keyboard goes on from. */
  const show = useCallback((id: string) => {
    const found = box.current?.querySelector<HTMLElement>(`[data-message="${CSS.escape(id)}"]`);
    if (!found) return;
    follows.current = false;
    found.scrollIntoView({ block: "center" });
    found.tabIndex = -1;
    found.focus({ preventScroll: true });
  }, []);

  useKeptPlace(box, firstId);

  // What was sent from here is what its writer wants to see.
  useLayoutEffect(toEnd, [toEnd, ends]);

  useEffect(() => {
    const scroller = box.current;
    if (!scroller || !content.current) return;
    let top = scroller.scrollTop;
    const onScroll = () => {
      if (keepsPlace && scroller.scrollTop < 1 && scroller.scrollHeight > scroller.clientHeight) scroller.scrollTop = 1;
      const isNear = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_PX;
      if (isNear) follows.current = !past.current;
      else if (scroller.scrollTop < top) follows.current = false; // growing content alone never moves up
      top = scroller.scrollTop;
      setAtEnd(isNear || follows.current);
    };
    const onWheel = (event: WheelEvent) => {
      if (event.deltaY < 0 && scroller.scrollHeight > scroller.clientHeight) follows.current = false;
    };
    const grown = new ResizeObserver(() => {
      if (follows.current) scroller.scrollTop = scroller.scrollHeight;
    });
    grown.observe(content.current);
    grown.observe(scroller);
    scroller.addEventListener("scroll", onScroll, { passive: true });
    scroller.addEventListener("wheel", onWheel, { passive: true });
    return () => {
      grown.disconnect();
      scroller.removeEventListener("scroll", onScroll);
      scroller.removeEventListener("wheel", onWheel);
    };
  }, []);

  return { box, content, isAtEnd, toEnd, show };
}

/** When older messages come in front, the one that was on top stays where it was on the screen. */
function useKeptPlace(box: React.RefObject<HTMLDivElement | null>, firstId: string | undefined): void {
  const place = useRef<{ firstId: string | undefined; fromEnd: number }>({ firstId, fromEnd: 0 });
  useLayoutEffect(() => {
    const scroller = box.current;
    if (!scroller || keepsPlace) return;
    if (place.current.firstId !== undefined && place.current.firstId !== firstId) {
      scroller.scrollTop = scroller.scrollHeight - place.current.fromEnd;
    }
    const remember = () => {
      place.current = { firstId, fromEnd: scroller.scrollHeight - scroller.scrollTop };
    };
    remember();
    scroller.addEventListener("scroll", remember, { passive: true });
    return () => scroller.removeEventListener("scroll", remember);
  }, [box, firstId]);
}
