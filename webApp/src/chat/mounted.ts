/** For tests: a hook in a component that draws nothing. */
import { QueryClientProvider } from "@tanstack/react-query";
import { act, createElement } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "../api/query";

export async function mounted<Given extends object>(useIt: (given: Given) => void, first: Given) {
  const Silent = (given: Given) => {
    useIt(given);
    return null;
  };
  const root = createRoot(document.createElement("div"));
  const draw = (given: Given) => settled(() => root.render(createElement(QueryClientProvider, { client: queryClient }, createElement(Silent, given))));
  await draw(first);
  return { draw, leave: () => settled(() => root.unmount()) };
}

/** With its effects; what comes by itself later is drawn as in a browser. */
async function settled(change: () => void): Promise<void> {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  await act(async () => change());
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
}
