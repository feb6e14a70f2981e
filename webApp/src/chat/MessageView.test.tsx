// @vitest-environment jsdom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { strings } from "../strings";
import type { ChatMessage } from "./message";
import { MessageView } from "./MessageView";

async function drawn(message: ChatMessage): Promise<HTMLElement> {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  const place = document.createElement("div");
  const given = { isSpot: false, isLast: true, isStreaming: true, onEdit: async () => true, onAgain: () => undefined };
  await act(async () => createRoot(place).render(<MessageView message={message} {...given} />));
  return place;
}

test("what a program wrote is nobody's answer", async () => {
  const shown = await drawn({ id: "1", role: "system", parts: [{ type: "text", text: "Speak French." }] });
  expect(shown.querySelector("article")?.getAttribute("aria-label")).toBe(strings.chat.program);
  expect(shown.textContent).toContain("Speak French.");
  expect(shown.querySelector("button")).toBeNull();
});

test("an answer says when not all could be looked up for it", async () => {
  const parts: ChatMessage["parts"] = [
    { type: "data-recall", id: "t", data: { status: "degraded", reason: "timeout" } },
    { type: "text", text: "I do not know." },
  ];
  const shown = await drawn({ id: "2", role: "assistant", parts });
  expect(shown.textContent).toContain(strings.chat.notAllLookedUp);
});
