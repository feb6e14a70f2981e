import { QueryClient } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { keys } from "../query";
import { keepFresh, staleAfter } from "./freshness";
import { onLive, tellLive } from "./live";

test("events that come together read a list again once, and only that list", async () => {
  vi.useFakeTimers();
  const client = new QueryClient();
  const invalidated = vi.spyOn(client, "invalidateQueries");
  const stop = keepFresh(client);
  for (let id = 0; id < 20; id++) tellLive({ id: String(id), type: "title", data: {} });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(invalidated.mock.calls).toEqual([[{ queryKey: keys.sessions }]]);
  stop();
  tellLive({ id: "99", type: "title", data: {} });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(invalidated).toHaveBeenCalledTimes(1);
  vi.useRealTimers();
});

test("how far an article is does not read the list again; that it is read does", () => {
  expect(staleAfter({ id: "1", type: "knowledge", data: { state: "reading", done: 3, total: 9 } })).toEqual([]);
  expect(staleAfter({ id: "1", type: "knowledge", data: { state: "ready" } })).toEqual(["knowledge"]);
});

test("a reset makes all lists stale, an unknown event none", () => {
  expect(staleAfter({ id: "1", type: "reset", data: {} })).toContain("memories");
  expect(staleAfter({ id: "1", type: "later", data: {} })).toEqual([]);
  expect(staleAfter({ id: "1", type: "memory", data: { what: "later" } })).toEqual([]);
});

test("a listener that fails does not keep the others from hearing", () => {
  const told = vi.fn();
  vi.stubGlobal("reportError", vi.fn());
  const stops = [onLive("turn", () => { throw new Error("bug"); }), onLive("turn", told)];
  tellLive({ id: "1", type: "turn", data: {} });
  expect(told).toHaveBeenCalledTimes(1);
  stops.forEach((stop) => stop());
  vi.unstubAllGlobals();
});
