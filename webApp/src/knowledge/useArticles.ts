/** The user's articles, and how far those are that are being read. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLive } from "../api/live/live";
import { call } from "../api/client";
import { keys } from "../api/query";
import { useIsDeleted } from "../shell/deletions";
import type { Progress } from "./files";

const PAGE = 50;
const LOOK_AGAIN_MS = 5_000; // for as long as something is read, should events not come through

export const addressOfArticle = (id: string) => `/api/knowledge/${id}`;

export function useArticles() {
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
  const articles = (list.data?.pages ?? []).flatMap((page) => page.articles).filter((each) => !isDeleted(addressOfArticle(each.id)));
  return { ...list, articles };
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
