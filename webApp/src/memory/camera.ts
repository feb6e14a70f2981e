/** What part of the picture is seen: a point of it in the middle, and how large it is. */
import type { Point } from "./forceLayout";

export interface Camera extends Point {
  zoom: number;
}

export interface Size {
  width: number;
  height: number;
}

const LEAST = 0.08;
const MOST = 4;
export const MARGIN = 70; // room for the words at the edge
const FOOT = 40; // pixels for the buttons

const within = (zoom: number) => Math.min(MOST, Math.max(LEAST, zoom));

/** All of it, as large as it fits. */
export function fit(points: readonly Point[], size: Size): Camera {
  if (!points.length) return { x: 0, y: 0, zoom: 1 };
  const xs = points.map((each) => each.x);
  const ys = points.map((each) => each.y);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const high = size.height - FOOT;
  const zoom = within(Math.min(size.width / (right - left + 2 * MARGIN), high / (bottom - top + 2 * MARGIN), 1.5));
  return { x: (left + right) / 2, y: (top + bottom + FOOT / zoom) / 2, zoom };
}

/** Larger or smaller, so that what is below `at` (from the middle, on the screen) stays there. */
export function zoomed(camera: Camera, factor: number, at: Point = { x: 0, y: 0 }): Camera {
  const zoom = within(camera.zoom * factor);
  const moved = 1 / camera.zoom - 1 / zoom;
  return { x: camera.x + at.x * moved, y: camera.y + at.y * moved, zoom };
}

/** Moved by pixels of the screen. */
export const panned = (camera: Camera, dx: number, dy: number): Camera => ({
  ...camera,
  x: camera.x - dx / camera.zoom,
  y: camera.y - dy / camera.zoom,
});
