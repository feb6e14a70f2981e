/** Which lists an event makes stale. Events that come together cause one reading. */
import type { QueryClient } from "@tanstack/react-query";
import { keys } from "../query";
import type { LiveEvent } from "./eventStream";
import { onLive, type LiveType } from "./live";

type Kind = keyof typeof keys;

const TOGETHER_MS = 150;
const TYPES: LiveType[] = ["hello", "reset", "session", "title", "turn", "memory", "knowledge"];
const LIVE: Kind[] = ["sessions", "memories", "notes", "knowledge", "usage"];
const OF_MEMORY: Record<string, Kind[]> = {
  notes: ["notes"],
  memories: ["memories"],
  revision: ["memories", "usage"],
  compaction: ["preview", "usage"],
};

export function staleAfter({ type, data }: LiveEvent): Kind[] {
  switch (type) {
    case "hello": // what was read before it may be older than it
    case "reset":
      return LIVE;
    case "session":
      return data.change === "imported" ? LIVE : ["sessions"];
    case "title":
      return ["sessions"];
    case "turn":
      return data.state === "running" ? ["sessions"] : ["sessions", "usage", "preview"];
    case "memory":
      return OF_MEMORY[String(data.what)] ?? [];
    case "knowledge": // while it is read there are many, and only how far it is changes
      return data.state === "reading" && typeof data.done === "number" && data.done > 0 ? [] : ["knowledge"];
    default:
      return [];
  }
}

/** Reads again what is shown and stale; returns how to stop. */
export function keepFresh(client: QueryClient): () => void {
  const waiting = new Set<Kind>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    timer = undefined;
    const kinds = [...waiting];
    waiting.clear();
    kinds.forEach((kind) => void client.invalidateQueries({ queryKey: keys[kind] }));
  };
  const hear = (event: LiveEvent) => {
    staleAfter(event).forEach((kind) => waiting.add(kind));
    if (waiting.size) timer ??= setTimeout(flush, TOGETHER_MS);
  };
  const stops = TYPES.map((type) => onLive(type, hear));
  return () => {
    clearTimeout(timer);
    stops.forEach((stop) => stop());
  };
}
