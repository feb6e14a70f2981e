/** Erasing, on the server and then in this browser: what was kept of it here goes too, but not the sign-in. */
import { call } from "../api/client";
import { queryClient } from "../api/query";
import type { components } from "../api/schema";
import { useAuthStore } from "../auth/useAuthStore";
import { useChatStore } from "../session/useChatStore";
import { forgetKept } from "../shell/forget";

export type Extent = "data" | "account";
export type Erased = components["schemas"]["ReceiptAnswer"] & Partial<components["schemas"]["AccountAnswer"]>;

export async function erase(extent: Extent): Promise<Erased> {
  const userId = useAuthStore.getState().user?.id ?? "";
  const receipt: Erased = extent === "account" ? await call("delete", "/api/account") : await call("delete", "/api/account/data");
  forgetKept(userId);
  useChatStore.getState().reset();
  await queryClient.invalidateQueries();
  return receipt;
}
