/** Files on their way to the server, one after the other; the page may be left meanwhile. */
import { create } from "zustand";
import { authorizedFetch } from "../api/client";
import { asApiError } from "../api/errors";
import { keys, queryClient } from "../api/query";
import type { components } from "../api/schema";
import type { Article } from "../api/types";
import { whenForgotten } from "../shell/forget";
import { toast } from "../shell/toasts";
import { strings } from "../strings";
import { refusalOf } from "./files";
import { sendWith } from "./send";

export interface Upload {
  id: number;
  file: File;
  state: "waiting" | "sending" | "failed";
  /** How much of it has gone out, from 0 to 1. */
  share: number;
  /** Why it was not taken, and whether sending it again may help. */
  problem: string | null;
  mayRetry: boolean;
}

export const useUploads = create<{ uploads: Upload[] }>(() => ({ uploads: [] }));

const words = strings.knowledge;
let next = 1;
let isSending = false;
let leaving = new AbortController();

const change = (by: (uploads: Upload[]) => Upload[]) => useUploads.setState(({ uploads }) => ({ uploads: by(uploads) }));
const set = (id: number, to: Partial<Upload>) => change((all) => all.map((each) => (each.id === id ? { ...each, ...to } : each)));

export const dismissUpload = (id: number) => change((all) => all.filter((each) => each.id !== id));

export function addFiles(files: Iterable<File>): void {
  const added = [...files].map((file): Upload => {
    const problem = refusalOf(file);
    return { id: next++, file, state: problem ? "failed" : "waiting", share: 0, problem, mayRetry: false };
  });
  change((all) => [...all.filter(({ state, file }) => state !== "failed" || added.every((each) => each.file.name !== file.name)), ...added]);
  void sendAll();
}

export function retryUpload(id: number): void {
  set(id, { state: "waiting", problem: null });
  void sendAll();
}

/** Each in a request of its own: one that is refused does not hold up the others. */
async function sendAll(): Promise<void> {
  if (isSending) return;
  isSending = true;
  for (;;) {
    const upload = useUploads.getState().uploads.find(({ state }) => state === "waiting");
    if (!upload) break;
    await sendOne(upload);
  }
  isSending = false;
}

async function sendOne({ id, file }: Upload): Promise<void> {
  const { signal } = leaving;
  set(id, { state: "sending", share: 0 });
  const body = new FormData();
  body.append("file", file, file.name);
  try {
    const before = articlesNow();
    const asked = { method: "POST", headers: { Accept: "application/json" }, body, signal };
    const answer = await authorizedFetch("/api/knowledge", asked, sendWith((share) => set(id, { share })));
    const { article } = (await answer.json()) as components["schemas"]["UploadedAnswer"];
    dismissUpload(id);
    tell(article, before.find((each) => each.id === article.id));
    void queryClient.invalidateQueries({ queryKey: keys.knowledge });
  } catch (error) {
    if (signal.aborted) return;
    const { status, detail } = asApiError(error);
    set(id, { state: "failed", problem: detail, mayRetry: status <= 0 || status === 429 || status >= 500 });
  }
}

function articlesNow(): Article[] {
  const lists = queryClient.getQueriesData<{ pages: { articles: Article[] }[] }>({ queryKey: keys.knowledge });
  return lists.flatMap(([, list]) => list?.pages ?? []).flatMap((page) => page.articles);
}

function tell(article: Article, earlier: Article | undefined): void {
  if (!earlier) return;
  const isSame = article.state === "ready" && article.updated_at === earlier.updated_at;
  toast(isSame ? words.unchanged(article.name) : words.replaced(article.name));
}

whenForgotten(() => {
  leaving.abort();
  leaving = new AbortController();
  useUploads.setState({ uploads: [] });
});
