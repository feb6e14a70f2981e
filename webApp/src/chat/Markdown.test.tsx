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

const deep = (opens: string, closes = "") => `${opens.repeat(10_000)}deep${closes.repeat(10_000)}`;

const inBlocks = [">", "- ", "1. > "].map((each) => deep(each));
const inLines = [deep("["), deep("*"), deep("[*("), deep("*a ", " a*"), deep("*a **", "**a*"), deep("[", "](x)"), deep("![", "](x)")];

// Read by the parser they would take from seconds to hours.
test.each([BROKEN, ...inBlocks, ...inLines])("%.24s stands there as text, and the rest of the answer as what it is", async (text) => {
  const place = await drawn(`${text}\n\nand *after*`);
  expect(place.querySelector(".markdown-plain")?.textContent).toBe(`${text}\n\n`);
  expect(place.querySelector("em")?.textContent).toBe("after");
});

test.each(["*a", "_a_ ", "~~a~~ ", "[a](x) ", "![a](x)"])("thousands of %j in a paragraph are letters in it", async (mark) => {
  const text = `- ${mark.repeat(3_000).trim()} \`code\``;
  const place = await drawn(`${text}\n\nand *after*`);
  const item = place.querySelector("li")!;
  expect(item.textContent?.replace(/\s+/g, " ")).toBe(text.slice(2).replaceAll("`", "").replace(/\s+/g, " "));
  expect(item.querySelectorAll("em, del, a")).toHaveLength(0);
  expect(item.querySelectorAll("code")).toHaveLength(1);
  expect(place.querySelector("em")?.textContent).toBe("after");
});

test("a list with thousands of marks is no crowd", async () => {
  const place = await drawn("- **bold** and [a link](x)\n".repeat(600));
  expect(place.querySelectorAll("li strong")).toHaveLength(600);
});

test("a line of dashes and a quote in a quote are drawn", async () => {
  const place = await drawn(`one\n\n${"-".repeat(300)}\n\n${"> ".repeat(9)}two`);
  expect(place.querySelectorAll("hr")).toHaveLength(1);
  expect(place.querySelectorAll("blockquote")).toHaveLength(9);
  expect(place.querySelector(".markdown-plain")).toBeNull();
});

test("long code and a long list are no depth", async () => {
  const place = await drawn(`see\n\`\`\`\n${"\x1b[31m _x *y\n".repeat(150)}\`\`\`\n\n${"- *args, **bold** and [a link](x)\n".repeat(150)}`);
  expect(place.querySelectorAll("pre")).toHaveLength(1);
  expect(place.querySelectorAll("li strong")).toHaveLength(150);
  expect(place.querySelector(".markdown-plain")).toBeNull();
});
