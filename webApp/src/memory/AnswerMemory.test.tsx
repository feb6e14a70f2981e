// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { queryClient } from "../api/query";
import type { ChatMessage, UsedMemory } from "../chat/message";
import AnswerMemory from "./AnswerMemory";

async function line(count: number): Promise<string | null> {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  const memories_used = Array.from({ length: count }, (_, each): UsedMemory => ({ id: `${each}`, what: "memory" }));
  const message: ChatMessage = { id: "m", role: "assistant", parts: [], metadata: { memories_used } };
  const place = document.createElement("div");
  const drawn = <AnswerMemory message={message} />;
  await act(async () => createRoot(place).render(<QueryClientProvider client={queryClient}>{drawn}</QueryClientProvider>));
  return place.textContent;
}

test("memories that an answer was given are not said to be used: it may say that it found nothing", async () => {
  expect(await line(5)).toBe("Looked at 5 memories");
  expect(await line(1)).toBe("Looked at 1 memory");
  expect(await line(0)).toBe("");
});
