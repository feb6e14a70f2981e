/** As long as somebody is signed in: one connection for all tabs, and lists that are read again when they change. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useAuthStore } from "../../auth/useAuthStore";
import { keepFresh } from "./freshness";
import { tellLive } from "./live";
import { shareEvents } from "./share";

export function useLiveLists(): void {
  const client = useQueryClient();
  const userId = useAuthStore((state) => state.user?.id ?? null);
  useEffect(() => {
    if (userId === null) return;
    const stops = [keepFresh(client), shareEvents(userId, tellLive)];
    return () => stops.forEach((stop) => stop());
  }, [client, userId]);
}
