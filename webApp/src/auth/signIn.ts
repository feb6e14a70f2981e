/** What every way to sign in can do; which one there is, the server says. */
import type { TokenSource } from "../api/client";
import type { components } from "../api/schema";

export interface User {
  id: string;
  name: string;
  isAnonymous: boolean;
}

export interface Bearer {
  user: User;
  token: string;
}

export interface SignIn extends TokenSource {
  readonly kind: string;
  /** Who is signed in, by what the browser keeps at this moment. Throws when nobody could be asked. */
  restore(): Promise<Bearer | null>;
  /** What the browser keeps of the sign-in goes, and nothing else. */
  drop(): void;
  /** Tells the issuer; what the browser keeps goes with `forgetEverything`. */
  signOut(): Promise<void>;
  /** Tells that `restore` may find somebody else, or nobody: by another tab, a link in a mail, the issuer. News come late
   * and in any order, so they do not say whom. */
  onChange(listen: () => void): void;
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
