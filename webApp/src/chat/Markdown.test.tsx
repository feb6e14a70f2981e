// @vitest-environment jsdom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import Markdown from "./Markdown";

const BROKEN = "what no program can draw";

vi.mock("react-markdown", async (original) => {
  const { default: Real } = await original<typeof import("react-markdown")>();
  const Drawn: typeof Real = (given) => {
    if (given.children === `${BROKEN}\n\n`) throw new RangeError("Maximum call stack size exceeded");
    return <Real {...given} />;
  };
  return { default: Drawn };
});

async function drawn(text: string): Promise<HTMLElement> {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  const place = document.createElement("div");
  const root = createRoot(place, { onCaughtError: () => undefined });
  await act(async () => root.render(<Markdown text={text} />));
  return place;
}

test.each([BROKEN, `${">".repeat(10_000)} deep`, `${"- ".repeat(5_000)}deep`, `${"1. > ".repeat(5_000)}deep`])(
  "%.24s stands there as text, and the rest of the answer as what it is",
  async (text) => {
    const place = await drawn(`${text}\n\nand *after*`);
    expect(place.querySelector(".markdown-plain")?.textContent).toBe(`${text}\n\n`);
    expect(place.querySelector("em")?.textContent).toBe("after");
  },
);

test("a line of dashes and a quote in a quote are drawn", async () => {
  const place = await drawn(`one\n\n${"-".repeat(300)}\n\n${"> ".repeat(9)}two`);
  expect(place.querySelectorAll("hr")).toHaveLength(1);
  expect(place.querySelectorAll("blockquote")).toHaveLength(9);
  expect(place.querySelector(".markdown-plain")).toBeNull();
});
