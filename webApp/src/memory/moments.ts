/** Times as people say them. */
const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const minute = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });

/** "3 days ago", "in 2 weeks", "just now"; nothing for what is no time. */
export function ago(moment: string | null | undefined, now = Date.now()): string {
  const then = Date.parse(moment ?? "");
  if (Number.isNaN(then)) return "";
  const seconds = (then - now) / 1000;
  const step = STEPS.find(([, size]) => Math.abs(seconds) >= size);
  return step ? relative.format(Math.trunc(seconds / step[1]), step[0]) : "just now";
}

export const dayOf = (moment: string | number): string => spoken(day, moment);
export const minuteOf = (moment: string | number): string => spoken(minute, moment);

function spoken(format: Intl.DateTimeFormat, moment: string | number): string {
  const then = new Date(moment);
  return Number.isNaN(then.getTime()) ? "" : format.format(then);
}

/** What an <input type="date"> shows for a moment, in the user's own zone, and back: the end of that day. */
export function toDateField(moment: string | null | undefined): string {
  if (!moment) return "";
  const then = new Date(moment);
  const shifted = new Date(then.getTime() - then.getTimezoneOffset() * 60_000);
  return Number.isNaN(then.getTime()) ? "" : shifted.toISOString().slice(0, 10);
}

export function endOfDay(field: string): string | null {
  const then = new Date(`${field}T23:59:59`);
  return Number.isNaN(then.getTime()) ? null : then.toISOString();
}
