import { useEffect, useState } from "react";
import { forceLayout, type Point } from "./forceLayout";
import type { Line } from "./graphParts";

const SLICE_MS = 8; // the page stays quick while it is computed

/** Where the names stand, once they stand still; null until then. Nothing moves before anybody's eyes. */
export function useLayout(count: number, lines: readonly Line[]): Point[] | null {
  const [found, setFound] = useState<{ lines: readonly Line[]; points: Point[] } | null>(null);
  useEffect(() => {
    const layout = forceLayout(count, lines.map((line) => [line.a, line.b] as const));
    let frame = 0;
    const go = () => {
      const until = performance.now() + SLICE_MS;
      let isStill = false;
      while (!isStill && performance.now() < until) isStill = layout.tick(2);
      if (isStill) setFound({ lines, points: layout.points() });
      else frame = requestAnimationFrame(go);
    };
    go();
    return () => cancelAnimationFrame(frame);
  }, [count, lines]);
  return found?.lines === lines ? found.points : null;
}
