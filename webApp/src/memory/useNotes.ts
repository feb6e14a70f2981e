/** An agent's page of notes and what it was before. */
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/client";
import { ApiError } from "../api/errors";
import { keys } from "../api/query";
import type { Notes } from "../api/types";

const VERSIONS = 20;

const pageKey = (agent: string) => [...keys.notes, agent, "page"];
const ifMatch = (version: number) => ({ "If-Match": `"${version}"` });

const readNotes = (agent: string, signal?: AbortSignal): Promise<Notes> =>
  call("get", "/api/agents/{name}/notes", { path: { name: agent }, signal });

export function useNotes(agent: string) {
  return useQuery({ queryKey: pageKey(agent), queryFn: ({ signal }) => readNotes(agent, signal) });
}

export function useVersions(agent: string) {
  return useInfiniteQuery({
    queryKey: [...keys.notes, agent, "versions"],
    queryFn: ({ signal, pageParam }) =>
      call("get", "/api/agents/{name}/notes/versions", { path: { name: agent }, query: { limit: VERSIONS, before: pageParam ?? undefined }, signal }),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.before,
  });
}

export function useVersion(agent: string, version: number) {
  return useQuery({
    queryKey: [...keys.notes, agent, "version", version],
    queryFn: ({ signal }) => call("get", "/api/agents/{name}/notes/versions/{version}", { path: { name: agent, version }, signal }),
    staleTime: Infinity,
  });
}

/** Whether a write was refused because somebody else has written since. */
export const isConflict = (error: unknown): boolean => error instanceof ApiError && (error.status === 412 || error.status === 409);

export interface Write {
  notes: string;
  /** The version that it was made from. */
  over: number;
}

export function useNotesWrites(agent: string) {
  const client = useQueryClient();
  const onSuccess = (page: Notes) => {
    client.setQueryData(pageKey(agent), page);
    void client.invalidateQueries({ queryKey: [...keys.notes, agent, "versions"] });
  };
  const save = useMutation({
    mutationFn: ({ notes, over }: Write) => call("put", "/api/agents/{name}/notes", { path: { name: agent }, headers: ifMatch(over), body: { notes } }),
    onSuccess,
  });
  const restore = useMutation({
    mutationFn: ({ version, over }: { version: number; over: number }) =>
      call("post", "/api/agents/{name}/notes/versions/{version}/restore", { path: { name: agent, version }, headers: ifMatch(over) }),
    onSuccess,
    onError: (error) => isConflict(error) && client.invalidateQueries({ queryKey: [...keys.notes, agent] }),
  });
  /** The page as it is on the server just now; the editor's own is replaced by it. */
  const readLatest = () =>
    client.fetchQuery({ queryKey: pageKey(agent), queryFn: ({ signal }) => readNotes(agent, signal), staleTime: 0 });
  return { save, restore, readLatest };
}
