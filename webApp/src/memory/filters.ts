/** Which memories are listed, as the page holds it and as the server is asked. */
import type { paths } from "../api/schema";
import { endOfDay } from "./moments";

type Query = NonNullable<paths["/api/memories"]["get"]["parameters"]["query"]>;

export interface Filters {
  q: string;
  kind: string;
  category: string;
  tier: string;
  trust: string;
  agent: string;
  tag: string;
  when: "now" | "at" | "ever";
  day: string; // of <input type="date">
}

export const NO_FILTERS: Filters = { q: "", kind: "", category: "", tier: "", trust: "", agent: "", tag: "", when: "now", day: "" };

/** Empty is any; a day that is not chosen yet is now. */
export function queryOf(filters: Filters): Query {
  const asOf = filters.when === "at" ? endOfDay(filters.day) : null;
  const asked = {
    q: filters.q.trim() || undefined,
    kind: filters.kind || undefined,
    category: filters.category || undefined,
    tier: filters.tier || undefined,
    trust: filters.trust || undefined,
    agent_name: filters.agent || undefined,
    tag: filters.tag || undefined,
    as_of: asOf ?? undefined,
    superseded: filters.when === "ever" || undefined,
  };
  return asked as Query;
}

export const isFiltered = (filters: Filters): boolean => Object.values(queryOf(filters)).some((each) => each !== undefined);

/** Whether words are all that is asked for: then it is they that nothing fits. */
export const isByWordsAlone = (filters: Filters): boolean => isFiltered(filters) && !isFiltered({ ...filters, q: "" });
