import { useCallback, useEffect, useRef, useState, type KeyboardEvent, type PointerEvent, type RefObject } from "react";
import { fit, panned, zoomed, type Camera, type Size } from "./camera";
import type { Point } from "./forceLayout";

const STEP = 1.3;
const PAN = 60; // pixels by a key
const CLICK = 4; // a hand that moves less has clicked

/** Moving about in the picture by wheel, hand, two fingers, keys and buttons. */
export function useCamera(frame: RefObject<HTMLElement | null>, points: Point[] | null) {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  const [chosen, setChosen] = useState<Camera | null>(null); // null: all of it
  const fitted = fit(points ?? [], size);
  const camera = chosen ?? fitted;
  const latest = useRef(camera);
  latest.current = camera;
  const zoom = useCallback((factor: number, at?: Point) => setChosen(zoomed(latest.current, factor, at)), []);
  const pan = useCallback((dx: number, dy: number) => setChosen(panned(latest.current, dx, dy)), []);
  const showAll = useCallback(() => setChosen(null), []);

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => entry && setSize({ width: entry.contentRect.width, height: entry.contentRect.height }));
    observer.observe(element);
    const onWheel = (event: WheelEvent) => {
      event.preventDefault(); // which React's own wheel handlers cannot
      zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), fromMiddle(element, event));
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener("wheel", onWheel);
    };
  }, [frame, zoom]);
  useEffect(showAll, [points, showAll]);

  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, () => void> = {
      ArrowLeft: () => pan(PAN, 0),
      ArrowRight: () => pan(-PAN, 0),
      ArrowUp: () => pan(0, PAN),
      ArrowDown: () => pan(0, -PAN),
      "+": () => zoom(STEP),
      "=": () => zoom(STEP),
      "-": () => zoom(1 / STEP),
      "0": showAll,
    };
    const move = event.ctrlKey || event.metaKey || event.altKey ? undefined : moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };
  return { camera, size, zoomIn: () => zoom(STEP), zoomOut: () => zoom(1 / STEP), showAll, onKeyDown, hand: useHand(pan, zoom, frame) };
}

const fromMiddle = (element: HTMLElement, event: { clientX: number; clientY: number }): Point => {
  const box = element.getBoundingClientRect();
  return { x: event.clientX - box.left - box.width / 2, y: event.clientY - box.top - box.height / 2 };
};

/** One pointer moves the picture, two make it larger or smaller; `hasMoved` tells a drag from a click. */
function useHand(pan: (dx: number, dy: number) => void, zoom: (factor: number, at?: Point) => void, frame: RefObject<HTMLElement | null>) {
  const down = useRef(new Map<number, Point>());
  const travelled = useRef(0);
  const onPointerDown = (event: PointerEvent) => {
    if (!down.current.size) travelled.current = 0;
    down.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
  };
  const onPointerMove = (event: PointerEvent) => {
    const last = down.current.get(event.pointerId);
    if (!last) return;
    const other = [...down.current].find(([id]) => id !== event.pointerId)?.[1];
    const next = { x: event.clientX, y: event.clientY };
    travelled.current += Math.hypot(next.x - last.x, next.y - last.y);
    if (travelled.current > CLICK) event.currentTarget.setPointerCapture(event.pointerId);
    if (other && frame.current) {
      const apart = (point: Point) => Math.hypot(point.x - other.x, point.y - other.y) || 1;
      zoom(apart(next) / apart(last), fromMiddle(frame.current, { clientX: (next.x + other.x) / 2, clientY: (next.y + other.y) / 2 }));
    } else if (travelled.current > CLICK) pan(next.x - last.x, next.y - last.y);
    down.current.set(event.pointerId, next);
  };
  const onPointerUp = (event: PointerEvent) => void down.current.delete(event.pointerId);
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: onPointerUp, hasMoved: () => travelled.current > CLICK };
}
