/** Signing out leaves nothing of the user behind: storage is emptied, and whoever keeps something says how to drop it. */
import { queryClient } from "../api/query";
import { dropLarge } from "./large";
import { THEME_KEY } from "./theme";

const OURS = ["chatSession_", "chatAgent_", "chatDraft_", "chatDeletions_", "notesDraft_"]; // before the user's id

const resets: (() => void)[] = [];

/** For stores and module-level state: called when a user goes. */
export function whenForgotten(reset: () => void): void {
  resets.push(reset);
}

type IsTheirs = (name: string) => boolean;
const drops: ((isTheirs: IsTheirs) => void)[] = [];

/** For what waits in this page for a user's return, under such a name: called when those of a user are to go. */
export function whenDropped(drop: (isTheirs: IsTheirs) => void): void {
  drops.push(drop);
}

const lastThings: (() => Promise<void>)[] = [];

/** For what still has to reach the server: done before the token is given up. */
export function beforeForgotten(finish: () => Promise<void>): void {
  lastThings.push(finish);
}

const PATIENCE_MS = 3_000;

/** Ends with the work or without: a server that does not answer keeps nobody signed in here. */
export async function patiently(...work: (Promise<unknown> | undefined)[]): Promise<void> {
  await Promise.race([Promise.allSettled(work), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
}

export const finishEverything = (): Promise<void> => patiently(...lastThings.map((finish) => finish()));

export function forgetEverything(): void {
  const theme = localStorage.getItem(THEME_KEY); // the screen's, not the user's
  localStorage.clear();
  sessionStorage.clear();
  if (theme) localStorage.setItem(THEME_KEY, theme);
  void dropLarge(() => true);
  drops.forEach((drop) => drop(() => true));
  forgetShown();
}

/** What this page has read and shows; what the browser keeps stays. */
export function forgetShown(): void {
  void queryClient.cancelQueries();
  queryClient.clear();
  resets.forEach((reset) => reset());
}

/** What the browser keeps of this user and of nobody else, but not who is signed in: that may be another by now. */
export function forgetKept(userId: string): void {
  const isTheirs = (name: string) => OURS.some((beginning) => `${name}_`.startsWith(`${beginning}${userId}_`));
  for (const storage of [localStorage, sessionStorage]) {
    const names = Array.from({ length: storage.length }, (_, place) => storage.key(place) ?? "");
    names.filter(isTheirs).forEach((name) => storage.removeItem(name));
  }
  void dropLarge(isTheirs);
  drops.forEach((drop) => drop(isTheirs));
}
