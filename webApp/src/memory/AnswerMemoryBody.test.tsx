// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { queryClient } from "../api/query";
import type { Memory } from "../api/types";
import { strings } from "../strings";
import type { Done } from "./answer";
import AnswerMemoryBody from "./AnswerMemoryBody";

const words = strings.memory;
const nothing: Done = { notes: [], forgotten: [], passedOver: [] };

async function headings(learned: Memory[], done: Partial<Done>): Promise<(string | null)[]> {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  const place = document.createElement("div");
  const body = <AnswerMemoryBody used={{ told: [], asked: [] }} learned={learned} done={{ ...nothing, ...done }} />;
  await act(async () => createRoot(place).render(<QueryClientProvider client={queryClient}>{body}</QueryClientProvider>));
  return [...place.querySelectorAll("ul")].map((each) => each.getAttribute("aria-label"));
}

test("what was forgotten does not stand under what was remembered", async () => {
  const memory = { id: "m", text: "The user has a cat.", kind: "fact" } as Memory;
  expect(await headings([], { forgotten: ["a"] })).toEqual([words.goneTitle]);
  expect(await headings([], { passedOver: ["b"] })).toEqual([words.goneTitle]);
  expect(await headings([memory], { forgotten: ["a"] })).toEqual([words.learnedTitle, words.goneTitle]);
  expect(await headings([memory], {})).toEqual([words.learnedTitle]);
});
