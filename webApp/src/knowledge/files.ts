/** Files before they are sent, and articles as people read about them. */
import type { Article } from "../api/types";
import { strings } from "../strings";

const words = strings.knowledge;
const MAX_FILE_BYTES = 25_000_000;
export const ENDINGS = [".txt", ".text", ".log", ".rst", ".csv", ".tsv", ".md", ".markdown", ".mdx", ".html", ".htm", ".xhtml", ".pdf"];

/** Why a file need not be sent; null: the server may look at it. A name without an ending is the server's to judge. */
export function refusalOf({ name, size }: Pick<File, "name" | "size">): string | null {
  const dot = name.lastIndexOf(".");
  if (dot > 0 && !ENDINGS.includes(name.slice(dot).toLowerCase())) return words.unknownKind;
  if (size > MAX_FILE_BYTES) return words.tooLarge;
  return size === 0 ? words.isEmpty : null;
}

const KINDS: Record<string, string> = {
  "application/pdf": "PDF",
  "text/html": "HTML",
  "text/markdown": "Markdown",
  "text/plain": "Text",
};

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** What kind of thing it is, how large, and since when. */
export function aboutArticle(article: Article): string {
  const { media_type, size_bytes, pages, tokens, updated_at } = article;
  return [
    KINDS[media_type] ?? media_type,
    sizeText(size_bytes),
    pages === null ? null : words.pages(pages),
    tokens > 0 ? words.tokens(tokens.toLocaleString("en")) : null,
    new Date(updated_at).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" }),
  ]
    .filter((each) => each !== null)
    .join(" · ");
}

export interface Progress {
  done: number;
  total: number;
}

/** From 0 to 1; null: not known. */
export const shareOf = (progress: Progress | undefined): number | null =>
  progress && progress.total > 0 ? Math.min(1, progress.done / progress.total) : null;

export function stateText(article: Article, progress: Progress | undefined): string {
  const share = shareOf(progress);
  if (article.state === "reading" && share !== null) return words.readingShare(Math.round(share * 100));
  return words.state[article.state];
}

/** What else there is to know: the problem, and whether an earlier text answers meanwhile. */
export function remarkOn({ state, error, chunks }: Article): string | null {
  const hasEarlier = chunks > 0;
  if (state === "failed") return [error, hasEarlier ? words.oldStays : null].filter(Boolean).join(" ") || null;
  return state !== "ready" && hasEarlier ? words.oldAnswers : null;
}
