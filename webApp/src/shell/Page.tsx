import { useEffect, type ReactNode } from "react";
import { strings } from "../strings";

/** Every page but the chat: a heading, a sentence, what can be done, the content. */
export function Page({ title, lead, actions, children }: { title: string; lead?: string; actions?: ReactNode; children: ReactNode }) {
  useTitle(title);
  return (
    <main id="main" className="page" tabIndex={-1}>
      <div className="page-inner">
        <header className="page-head">
          <div>
            <h1>{title}</h1>
            {lead && <p>{lead}</p>}
          </div>
          {actions}
        </header>
        {children}
      </div>
    </main>
  );
}

/** The title of the tab, as long as it is drawn. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    document.title = title ? `${title} · ${strings.shell.brand}` : strings.shell.brand;
    return () => void (document.title = strings.shell.brand);
  }, [title]);
}
