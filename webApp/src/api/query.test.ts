import { onlineManager, QueryObserver } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { queryClient } from "./query";

test("what could not be read without a connection is read once there is one again", async () => {
  queryClient.mount();
  let isThere = false;
  const read = async () => {
    if (!isThere) throw new Error("no connection");
    return "read";
  };
  const list = new QueryObserver(queryClient, { queryKey: ["usage"], queryFn: read });
  const leave = list.subscribe(() => {});
  await vi.waitFor(() => expect(list.getCurrentResult().isError).toBe(true));
  isThere = true;
  onlineManager.setOnline(false);
  onlineManager.setOnline(true);
  await vi.waitFor(() => expect(list.getCurrentResult().data).toBe("read"));
  leave();
  queryClient.unmount();
});
