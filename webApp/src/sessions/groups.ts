/** Conversations by how long ago they were last used, in the order in which they come. */
import type { Session } from "../api/types";
import { strings } from "../strings";

interface Group {
  name: string;
  sessions: Session[];
}

const DAY_MS = 86_400_000;

/** The days between two moments, as the calendar of this place counts them. */
function daysBetween(then: Date, now: Date): number {
  const midnight = (moment: Date) => Date.UTC(moment.getFullYear(), moment.getMonth(), moment.getDate());
  return Math.round((midnight(now) - midnight(then)) / DAY_MS);
}

export function groupName(lastActive: string, now: Date): string {
  const then = new Date(lastActive);
  const days = daysBetween(then, now);
  const { today, yesterday, lastWeek, lastMonth } = strings.sessions;
  if (days <= 0) return today; // clocks differ
  if (days === 1) return yesterday;
  if (days <= 7) return lastWeek;
  if (days <= 30) return lastMonth;
  return then.toLocaleDateString("en", { month: "long", year: "numeric" });
}

export function groupsOf(sessions: Session[], now: Date): Group[] {
  const groups: Group[] = [];
  for (const session of sessions) {
    const name = groupName(session.last_active_at, now);
    const last = groups.at(-1);
    if (last?.name === name) last.sessions.push(session);
    else groups.push({ name, sessions: [session] });
  }
  return groups;
}
