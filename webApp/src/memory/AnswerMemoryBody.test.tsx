// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import { act, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { queryClient } from "../api/query";
import type { Memory } from "../api/types";
import type { UsedMemory } from "../chat/message";
import { strings } from "../strings";
import type { Done } from "./answer";
import AnswerMemoryBody from "./AnswerMemoryBody";

const words = strings.memory;
const nothing: Done = { notes: [], forgotten: [], passedOver: [] };

async function drawn(body: ReactNode): Promise<HTMLElement> {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  const place = document.createElement("div");
  await act(async () => createRoot(place).render(<QueryClientProvider client={queryClient}>{body}</QueryClientProvider>));
  return place;
}

async function headings(learned: Memory[], done: Partial<Done>): Promise<(string | null)[]> {
  const place = await drawn(<AnswerMemoryBody used={{ told: [], asked: [] }} learned={learned} done={{ ...nothing, ...done }} />);
  return [...place.querySelectorAll("ul")].map((each) => each.getAttribute("aria-label"));
}

test("what was forgotten does not stand under what was remembered", async () => {
  const memory = { id: "m", text: "The user has a cat.", kind: "fact" } as Memory;
  expect(await headings([], { forgotten: ["a"] })).toEqual([words.goneTitle]);
  expect(await headings([], { passedOver: ["b"] })).toEqual([words.goneTitle]);
  expect(await headings([memory], { forgotten: ["a"] })).toEqual([words.learnedTitle, words.goneTitle]);
  expect(await headings([memory], {})).toEqual([words.learnedTitle]);
});

test("what ended before it was said holds no longer, and what is to come has not been", async () => {
  const held = async (valid_to: string) => {
    const used = { what: "memory", id: "m", text: "I live in Graz", said_at: "2026-11-17T12:00:00Z", valid_to } as UsedMemory;
    const place = await drawn(<AnswerMemoryBody used={{ told: [used], asked: [] }} learned={[]} done={nothing} />);
    return place.textContent;
  };
  expect(await held("2026-10-01T00:00:00Z")).toContain(`· ${words.holdsNoLonger}`);
  expect(await held("2026-11-17T13:00:00Z")).toContain("· held until");
  expect(await held("2999-01-01T12:00:00Z")).toContain("· until");
});
