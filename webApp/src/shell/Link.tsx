import type { ComponentProps } from "react";
import { navigate, usePath } from "./router";

/** A link to one of our pages; modified clicks (new tab, download) stay the browser's. */
export function Link({ to, onClick, ...rest }: { to: string } & Omit<ComponentProps<"a">, "href">) {
  const isHere = usePath() === to.split("?")[0];
  return (
    <a
      href={to}
      aria-current={isHere ? "page" : undefined}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || event.button !== 0) return;
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        navigate(to);
      }}
      {...rest}
    />
  );
}
