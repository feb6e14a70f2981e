/** What every way to sign in can do; which one there is, the server says. */
import type { TokenSource } from "../api/client";
import type { components } from "../api/schema";

export interface User {
  id: string;
  name: string;
  isAnonymous: boolean;
}

export interface SignIn extends TokenSource {
  readonly kind: string;
  /** Who was signed in when the page was last open. */
  restore(): Promise<User | null>;
  signOut(): Promise<void>;
  /** Tells of a sign-in or sign-out that happened elsewhere: another tab, a link in a mail. */
  onChange(listen: (user: User | null) => void): void;
}

export type ClientSetup = components["schemas"]["ClientAnswer"];

/** What a token says about its bearer; not proof of anything, the server checks it. */
export function claimsOf(token: string): Record<string, unknown> {
  try {
    const middle = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(middle), (each) => each.charCodeAt(0));
    const found: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof found === "object" && found !== null ? (found as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
