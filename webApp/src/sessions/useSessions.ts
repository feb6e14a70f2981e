/** The user's conversations: read by pages, changed at once. */
import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { call } from "../api/client";
import { asApiError } from "../api/errors";
import { keys } from "../api/query";
import { useIsDeleted } from "../shell/deletions";
import { toast } from "../shell/toasts";
import { allOf, changedIn, type Change, type Pages } from "./lists";

const PAGE = 40;

interface Wanted {
  q: string;
  isArchive: boolean;
}

const listKey = (wanted: Wanted) => [...keys.sessions, "list", wanted] as const;
export const addressOfSession = (id: string) => `/api/sessions/${id}`;

export function useSessions(wanted: Wanted) {
  const isDeleted = useIsDeleted();
  const list = useInfiniteQuery({
    queryKey: listKey(wanted),
    queryFn: ({ pageParam, signal }) =>
      call("get", "/api/sessions", {
        query: { q: wanted.q || undefined, archived: wanted.isArchive || undefined, limit: PAGE, before: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.before ?? undefined,
    placeholderData: keepPreviousData,
  });
  const sessions = allOf(list.data).filter((each) => !isDeleted(addressOfSession(each.session_id)));
  return { ...list, sessions };
}

/** Renames, archives, or switches memory; what fails is read again as it is. */
export function useChangeSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, change }: { id: string; change: Change }) =>
      // The description has defaults for what is left out; the server keeps those as they are.
      call("patch", "/api/sessions/{session_id}", { path: { session_id: id }, body: change as Required<Change> }),
    onMutate: async ({ id, change }) => {
      await client.cancelQueries({ queryKey: [...keys.sessions, "list"] });
      for (const [key] of client.getQueriesData<Pages>({ queryKey: [...keys.sessions, "list"] })) {
        const { isArchive } = key.at(-1) as Wanted;
        client.setQueryData<Pages>(key, (pages) => changedIn(pages, id, change, isArchive));
      }
    },
    onError: (error) => toast(asApiError(error).detail),
    onSettled: () => client.invalidateQueries({ queryKey: keys.sessions }),
  });
}

/** The value once it has not changed for a moment. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
