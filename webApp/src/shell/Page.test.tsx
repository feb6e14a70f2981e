// @vitest-environment jsdom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { strings } from "../strings";
import { useTitle } from "./Page";

function Titled({ title }: { title: string | null }) {
  useTitle(title);
  return null;
}

test("the tab is called by what is drawn, and by nothing that was", async () => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  const root = createRoot(document.createElement("div"));
  const draw = (key: string, title: string | null) => act(async () => root.render(<Titled key={key} title={title} />));
  await draw("page", "Memory");
  expect(document.title).toBe(`Memory · ${strings.shell.brand}`);
  await draw("chat", "Journey");
  expect(document.title).toBe(`Journey · ${strings.shell.brand}`);
  await draw("chat", null);
  expect(document.title).toBe(strings.shell.brand);
  await draw("chat", "Journey");
  await act(async () => root.unmount());
  expect(document.title).toBe(strings.shell.brand);
});
