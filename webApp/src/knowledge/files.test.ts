import { expect, test } from "vitest";
import type { Article } from "../api/types";
import { strings } from "../strings";
import { aboutArticle, refusalOf, remarkOn, shareOf, sizeText, stateText } from "./files";

const words = strings.knowledge;
const article = (more: Partial<Article>): Article => ({
  id: "1", name: "a.pdf", title: "A", media_type: "application/pdf", size_bytes: 482_113, state: "ready", error_code: null,
  error: null, pages: 64, tokens: 31_877, chunks: 121, shared: false, created_at: "2026-11-15T12:00:00Z",
  updated_at: "2026-11-15T12:00:00Z", ...more,
});

test.each([
  ["a.pdf", 100, null],
  ["A.MD", 25_000_000, null],
  ["README", 100, null],
  [".hidden", 100, null],
  ["a.pdf", 25_000_001, words.tooLarge],
  ["a.exe", 100, words.unknownKind],
  ["pdf.png", 100, words.unknownKind],
  ["a.txt", 0, words.isEmpty],
])("%s of %i bytes: %s", (name, size, said) => expect(refusalOf({ name, size })).toBe(said));

test("sizes and kinds are said shortly", () => {
  expect([0, 999, 1_000, 482_113, 2_550_000].map(sizeText)).toEqual(["0 B", "999 B", "1 kB", "482 kB", "2.5 MB"]);
  expect(aboutArticle(article({}))).toBe("PDF · 482 kB · 64 pages · 31,877 tokens · 15 Nov 2026");
  expect(aboutArticle(article({ media_type: "text/x", pages: null, tokens: 0 }))).toBe("text/x · 482 kB · 15 Nov 2026");
});

test("an upload says how far it is, and what answers meanwhile", () => {
  expect(shareOf({ done: 0, total: 0 })).toBeNull();
  expect(stateText(article({ state: "reading" }), { done: 3, total: 9 })).toBe("Is being read: 33 %");
  expect(stateText(article({ state: "waiting" }), { done: 3, total: 9 })).toBe(words.state.waiting);
  expect(remarkOn(article({ state: "reading" }))).toBe(words.oldAnswers);
  expect(remarkOn(article({ state: "reading", chunks: 0 }))).toBeNull();
  expect(remarkOn(article({}))).toBeNull();
  expect(remarkOn(article({ state: "failed", error: "It is encrypted." }))).toBe(`It is encrypted. ${words.oldStays}`);
});
