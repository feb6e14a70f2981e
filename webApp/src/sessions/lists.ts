/** The cached pages of sessions, changed before the server has answered. */
import type { InfiniteData } from "@tanstack/react-query";
import type { components } from "../api/schema";
import type { Session } from "../api/types";

export type Page = components["schemas"]["SessionsAnswer"];
export type Pages = InfiniteData<Page>;
export type Change = { title?: string | null; archived?: boolean; memory?: "on" | "off" };

/** The pages with one session changed; taken out where it does not belong any more. */
export function changedIn(pages: Pages | undefined, id: string, change: Change, isArchive: boolean): Pages | undefined {
  if (!pages) return pages;
  const changed = (session: Session): Session[] => {
    if (session.session_id !== id) return [session];
    if (change.archived !== undefined && change.archived !== isArchive) return [];
    const { title = session.title, memory = session.memory } = change;
    return [{ ...session, title, memory }];
  };
  return { ...pages, pages: pages.pages.map((page) => ({ ...page, sessions: page.sessions.flatMap(changed) })) };
}

/** All of them, each once: a session that is used while pages are read moves to the first. */
export function allOf(pages: Pages | undefined): Session[] {
  const seen = new Set<string>();
  return (pages?.pages ?? [])
    .flatMap((page) => page.sessions)
    .filter(({ session_id }) => !seen.has(session_id) && seen.add(session_id));
}

/** What to show when this one goes away: the next, else the one before. */
export function besides(sessions: Session[], id: string): Session | null {
  const at = sessions.findIndex((each) => each.session_id === id);
  return (at < 0 ? sessions[0] : (sessions[at + 1] ?? sessions[at - 1])) ?? null;
}
