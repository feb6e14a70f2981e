/** Server lists in one cache. Keys begin with the kind of thing, so that an event can say which lists are stale. */
import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./errors";

export const keys = {
  client: ["client"],
  agents: ["agents"],
  sessions: ["sessions"],
  memories: ["memories"],
  notes: ["notes"],
  knowledge: ["knowledge"],
  usage: ["usage"],
  account: ["account"],
  preview: ["preview"],
} as const;

const TRIES = 2;
const LONGEST_WAIT_MS = 10_000;

/** Only what may go better by itself is tried again. */
function isWorthAnotherTry(failures: number, error: unknown): boolean {
  const status = error instanceof ApiError ? error.status : -1;
  return failures < TRIES && (status === 0 || status === 502 || status === 503 || status === 504);
}

function waitMs(failures: number, error: unknown): number {
  const asked = error instanceof ApiError && error.retryAfter !== null ? error.retryAfter * 1000 : 500 * 2 ** failures;
  return Math.min(asked, LONGEST_WAIT_MS);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 30_000, retry: isWorthAnotherTry, retryDelay: waitMs, networkMode: "always", refetchOnReconnect: true },
    mutations: { networkMode: "always" },
  },
});
