/** Signing out leaves nothing of the user behind: storage is emptied, and whoever keeps something says how to drop it. */
import { queryClient } from "../api/query";
import { THEME_KEY } from "./theme";

const resets: (() => void)[] = [];

/** For stores and module-level state: called on sign-out. */
export function whenForgotten(reset: () => void): void {
  resets.push(reset);
}

const lastThings: (() => Promise<void>)[] = [];

/** For what still has to reach the server: done before the token is given up. */
export function beforeForgotten(finish: () => Promise<void>): void {
  lastThings.push(finish);
}

const PATIENCE_MS = 3_000; // a server that does not answer keeps nobody signed in here

export async function finishEverything(): Promise<void> {
  const enough = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
  await Promise.race([enough, Promise.allSettled(lastThings.map((finish) => finish()))]);
}

export function forgetEverything(): void {
  const theme = localStorage.getItem(THEME_KEY); // the screen's, not the user's
  localStorage.clear();
  sessionStorage.clear();
  if (theme) localStorage.setItem(THEME_KEY, theme);
  void queryClient.cancelQueries();
  queryClient.clear();
  resets.forEach((reset) => reset());
}
