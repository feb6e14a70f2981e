/** Reading memories: a page of them, one with its history, what deserves a look. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "../api/client";
import { keys } from "../api/query";
import { queryOf, type Filters } from "./filters";

export const PAGE = 25;
const MOST_AUDITED = 20;

/** One page; what was there stays until the next has come. */
export function useMemories(filters: Filters, before: number | null) {
  const query = { ...queryOf(filters), limit: PAGE, before: before ?? undefined };
  return useQuery({
    queryKey: [...keys.memories, "list", query],
    queryFn: ({ signal }) => call("get", "/api/memories", { query, signal }),
    placeholderData: keepPreviousData,
  });
}

export function useMemory(id: string | null, isWanted = true) {
  return useQuery({
    queryKey: [...keys.memories, "one", id],
    queryFn: ({ signal }) => call("get", "/api/memories/{memory_id}", { path: { memory_id: id ?? "" }, signal }),
    enabled: id !== null && isWanted,
  });
}

export function useAudit() {
  return useQuery({
    queryKey: [...keys.memories, "audit"],
    queryFn: ({ signal }) => call("get", "/api/memories/audit", { query: { limit: MOST_AUDITED }, signal }),
  });
}
