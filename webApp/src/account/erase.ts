/** Erasing, on the server and then in this browser: what was kept of it here goes too, but not the sign-in. */
import { call } from "../api/client";
import { queryClient } from "../api/query";
import type { components } from "../api/schema";
import { useChatStore } from "../session/useChatStore";

export type Extent = "data" | "account";
export type Erased = components["schemas"]["ReceiptAnswer"] & Partial<components["schemas"]["AccountAnswer"]>;

const OURS = ["chatSession_", "chatAgent_", "chatDraft_", "notesDraft_"]; // the beginnings of what we keep for a user

export async function erase(extent: Extent): Promise<Erased> {
  const receipt: Erased = extent === "account" ? await call("delete", "/api/account") : await call("delete", "/api/account/data");
  forgetHere(localStorage);
  forgetHere(sessionStorage);
  useChatStore.getState().reset();
  await queryClient.invalidateQueries();
  return receipt;
}

export function forgetHere(storage: Storage): void {
  const names = Array.from({ length: storage.length }, (_, place) => storage.key(place) ?? "");
  names.filter((name) => OURS.some((beginning) => name.startsWith(beginning))).forEach((name) => storage.removeItem(name));
}
