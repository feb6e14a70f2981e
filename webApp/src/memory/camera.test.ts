import { expect, test } from "vitest";
import { fit, panned, zoomed } from "./camera";

const size = { width: 800, height: 400 };
const onScreen = (camera: ReturnType<typeof fit>, x: number, y: number) => [(x - camera.x) * camera.zoom, (y - camera.y) * camera.zoom];

test("all names are seen after fitting", () => {
  const points = [{ x: -900, y: 50 }, { x: 1_200, y: 700 }];
  const camera = fit(points, size);
  for (const { x, y } of points) {
    const [sx, sy] = onScreen(camera, x, y);
    expect(Math.abs(sx!)).toBeLessThanOrEqual(400);
    expect(Math.abs(sy!)).toBeLessThanOrEqual(200);
  }
  expect(fit([], size)).toEqual({ x: 0, y: 0, zoom: 1 });
  expect(fit([{ x: 3, y: 4 }], size).zoom).toBe(1.5);
});

test("what is below the pointer stays there while zooming, and there are limits", () => {
  const camera = { x: 10, y: 20, zoom: 1 };
  const at = { x: 100, y: -50 };
  const near = zoomed(camera, 2, at);
  expect(onScreen(near, 110, -30)).toEqual([100, -50]);
  expect(zoomed(camera, 1e9).zoom).toBe(4);
  expect(zoomed(camera, 0).zoom).toBe(0.08);
});

test("dragging moves the picture as far as the hand", () => {
  const camera = panned({ x: 0, y: 0, zoom: 2 }, 30, -10);
  expect(onScreen(camera, 0, 0)).toEqual([30, -10]);
});
