import { useId, type ReactNode } from "react";

/** One thing that can be done with an account: what it is, and how. */
export function Part({ title, lead, children, isGrave }: { title: string; lead: string; children: ReactNode; isGrave?: boolean }) {
  const id = useId();
  return (
    <section className="card account-part" aria-labelledby={id} data-grave={isGrave}>
      <div>
        <h2 id={id}>{title}</h2>
        <p className="soft">{lead}</p>
      </div>
      {children}
    </section>
  );
}
