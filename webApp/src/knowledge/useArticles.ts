/** The user's articles, and how far those are that are being read. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLive } from "../api/live/live";
import { call } from "../api/client";
import { keys } from "../api/query";
import { useIsDeleted } from "../shell/deletions";
import type { Progress } from "./files";

const PAGE = 50;
const LOOK_AGAIN_MS = 5_000; // for as long as something is read, should events not come through

export const addressOfArticle = (id: string) => `/api/knowledge/${id}`;

/** The list; `wanted` is in it, however far down it would stand. */
export function useArticles(wanted: string | null = null) {
  const isDeleted = useIsDeleted();
  const list = useInfiniteQuery({
    queryKey: [...keys.knowledge, "list"],
    queryFn: ({ pageParam, signal }) => call("get", "/api/knowledge", { query: { limit: PAGE, before: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.before ?? undefined,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.articles.some((each) => each.state === "waiting" || each.state === "reading"))
        ? LOOK_AGAIN_MS
        : false,
  });
  const listed = (list.data?.pages ?? []).flatMap((page) => page.articles);
  const isFarDown = list.isSuccess && wanted !== null && !listed.some((each) => each.id === wanted);
  const far = useQuery({
    queryKey: [...keys.knowledge, "one", wanted],
    queryFn: ({ signal }) => call("get", "/api/knowledge/{article_id}", { path: { article_id: wanted ?? "" }, signal }),
    enabled: isFarDown,
    retry: false,
  });
  const found = isFarDown && far.data ? [far.data, ...listed] : listed;
  const articles = found.filter((each) => !isDeleted(addressOfArticle(each.id)));
  return { ...list, articles, isGone: isFarDown && far.isError };
}

/** By the id of the article. */
export function useProgress(): Readonly<Record<string, Progress>> {
  const [progress, setProgress] = useState<Record<string, Progress>>({});
  useLive("knowledge", ({ data }) => {
    const { article_id, done, total } = data;
    if (typeof article_id !== "string" || typeof done !== "number" || typeof total !== "number") return;
    setProgress((known) => ({ ...known, [article_id]: { done, total } }));
  });
  return progress;
}
