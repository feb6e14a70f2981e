// @vitest-environment jsdom
import { afterEach, expect, test, vi } from "vitest";
import { tellLive } from "../api/live/live";
import type { Session } from "../api/types";
import { mounted } from "../chat/mounted";
import { useDeletions } from "../shell/deletions";
import { forgetEverything } from "../shell/forget";
import { useToasts } from "../shell/toasts";
import { strings } from "../strings";
import { useSessionActions } from "./useSessionActions";

const session = { session_id: "s", agent_name: "assistant", title: "Journey", memory: "on" } as Session;
const turn = (session_id: string, state: string) => tellLive({ id: "1", type: "turn", data: { session_id, state } });
const hidden = () => Object.keys(useDeletions.getState().waiting);
const toasts = () => useToasts.getState().toasts.map(({ text }) => text);

afterEach(() => {
  forgetEverything();
  vi.unstubAllGlobals();
});

test("a chat that is spoken in after it was deleted stays; one whose answer only ends does not", async () => {
  let act!: ReturnType<typeof useSessionActions>;
  const { leave } = await mounted(() => {
    act = useSessionActions([session], () => undefined);
  }, {});
  act.remove(session);
  expect(toasts()).toEqual(["Journey was deleted, with what was learned only in it."]);
  turn("s", "done");
  turn("another", "running");
  expect(hidden()).toEqual(["/api/sessions/s"]);
  turn("s", "running");
  expect(hidden()).toEqual([]);
  expect(toasts()).toEqual([strings.sessions.notRemoved("Journey")]);
  await leave();
});

test("a chat that has left the archive meanwhile is no longer said to be in it", async () => {
  vi.stubGlobal("fetch", async () => Response.json({ sessions: [], before: null }));
  let act!: ReturnType<typeof useSessionActions>;
  const { leave } = await mounted(() => {
    act = useSessionActions([session], () => undefined);
  }, {});
  const changed = (session_id: string, archived: boolean) =>
    tellLive({ id: "1", type: "session", data: { session_id, change: "changed", archived } });
  const ways = [() => act.archive(session, false), () => changed("s", false), () => turn("s", "running")];
  for (const comesBack of ways) {
    act.archive(session, true);
    changed("s", true);
    changed("another", false);
    turn("s", "done");
    expect(toasts()).toEqual([strings.sessions.archived("Journey")]);
    comesBack();
    expect(toasts()).toEqual([]);
  }
  await leave();
});
