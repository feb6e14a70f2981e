/** What can be done to a conversation of the list; whatever hides the open one shows its neighbour. */
import { useLive } from "../api/live/live";
import type { Session } from "../api/types";
import { useUpsertActiveChatSession } from "../session/useChatSessionHooks";
import { useChatStore } from "../session/useChatStore";
import { callOff, deleteSoon } from "../shell/deletions";
import { toast, useToasts } from "../shell/toasts";
import { strings } from "../strings";
import { besides } from "./lists";
import { addressOfSession, useChangeSession } from "./useSessions";

const words = strings.sessions;
export const titleOf = (session: Session): string => session.title ?? strings.session.untitled;

const putAway = new Map<string, number>(); // what was archived here, and the toast that says so

/** It has left the archive, wherever that was done: there is nothing to undo. */
function isBack(id: unknown): void {
  const shown = putAway.get(String(id));
  if (shown !== undefined) useToasts.getState().dismiss(shown);
  putAway.delete(String(id));
}

export function useSessionActions(sessions: Session[], onRenamed: () => void) {
  const { mutate } = useChangeSession();
  const { mutate: create } = useUpsertActiveChatSession();
  const change = (session: Session, to: Parameters<typeof mutate>[0]["change"]) => mutate({ id: session.session_id, change: to });

  // What was running when it was deleted only ends; what begins now was said in another tab or on another device.
  useLive("turn", ({ data }) => {
    if (data.state !== "running") return;
    callOff(addressOfSession(String(data.session_id)));
    isBack(data.session_id);
  });
  useLive("session", ({ data }) => void (data.archived === false && isBack(data.session_id)));

  /** Leaves it when it is the open one; returns how to come back. */
  const leave = (session: Session): (() => void) => {
    const { sessionId, openSession } = useChatStore.getState();
    if (sessionId !== session.session_id) return () => undefined;
    const next = besides(sessions, session.session_id);
    const replace = true; // Back would lead to what is put away
    if (next) openSession(next, { replace });
    else create({ agentName: session.agent_name, replace });
    return () => openSession(session, { replace });
  };

  return {
    rename: (session: Session, title: string | null) => {
      onRenamed();
      if (title && title !== session.title) change(session, { title });
    },
    archive: (session: Session, archived: boolean) => {
      const comeBack = archived ? leave(session) : () => undefined;
      change(session, { archived });
      if (!archived) return isBack(session.session_id);
      const shown = toast(words.archived(titleOf(session)), () => {
        change(session, { archived: false });
        comeBack();
      });
      putAway.set(session.session_id, shown);
    },
    switchMemory: (session: Session) => {
      const isPrivate = session.memory === "off";
      change(session, { memory: isPrivate ? "on" : "off" });
      toast(isPrivate ? words.madeMindful : words.madePrivate, () => change(session, { memory: session.memory }));
    },
    remove: (session: Session) => {
      const comeBack = leave(session);
      const title = titleOf(session);
      deleteSoon(addressOfSession(session.session_id), words.removed(title), comeBack, words.notRemoved(title));
    },
  };
}
