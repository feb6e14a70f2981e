import { useId, useRef, useState, type KeyboardEvent } from "react";
import { useLive } from "../api/live/live";
import type { Session } from "../api/types";
import { moveDraft } from "../chat/useDraft";
import { movePictures } from "../chat/usePictures";
import { unnameChat } from "../session/address";
import { useChatStore } from "../session/useChatStore";
import { toast } from "../shell/toasts";
import { strings } from "../strings";
import { groupsOf } from "./groups";
import { SessionMenu, type Anchor } from "./SessionMenu";
import { SessionRow } from "./SessionRow";
import { useSessionActions } from "./useSessionActions";

interface Props {
  sessions: Session[];
  q: string;
  isArchive: boolean;
  /** `messageId`: where in it to begin to read. */
  onChosen: (messageId?: string) => void;
}

const AGAIN_MS = 250;

/** One stop for the Tab key; inside it the arrows go up and down, F2 renames, Delete deletes. */
export function SessionList({ sessions, q, isArchive, onChosen }: Props) {
  const openId = useChatStore((state) => state.sessionId);
  const [focused, setFocused] = useState<string | null>(null);
  const [renamed, setRenamed] = useState<string | null>(null);
  const [menu, setMenu] = useState<{ session: Session; anchor: Anchor } | null>(null);
  const ref = useRef<HTMLDivElement>(null);
  const closed = useRef({ id: "", at: 0 });
  const name = useId();
  const act = useSessionActions(sessions, () => setRenamed(null));
  useLeaveDeleted();

  const has = (id: string | null) => sessions.some((each) => each.session_id === id);
  const stop = has(focused) ? focused : has(openId) ? openId : (sessions[0]?.session_id ?? null);
  const rows = () => [...(ref.current?.querySelectorAll<HTMLElement>("[data-session]") ?? [])];

  /** Whatever takes a row away leaves the focus on its neighbour, or above the list. */
  const away = (session: Session, take: (session: Session) => void) => {
    const all = rows();
    const at = all.findIndex((each) => each.dataset.session === session.session_id);
    (all[at + 1] ?? all[at - 1] ?? ref.current?.closest("section")?.querySelector("button"))?.focus();
    take(session);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const all = rows();
    const at = all.indexOf(event.target as HTMLElement);
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    const session = sessions.find((each) => each.session_id === all[at]?.dataset.session);
    if (next !== undefined) all[Math.max(0, Math.min(next, all.length - 1))]?.focus();
    else if (event.key === "F2" && session) setRenamed(session.session_id);
    else if (event.key === "Delete" && session) away(session, act.remove);
    else return;
    event.preventDefault();
  };

  return (
    <div ref={ref} onKeyDown={onKeyDown}>
      {groupsOf(sessions, new Date()).map((group, index) => (
        <div key={`${group.name}:${index}`} role="group" aria-labelledby={`${name}${index}`}>
          <h2 className="sessions-group" id={`${name}${index}`}>
            {group.name}
          </h2>
          <ul className="sessions">
            {group.sessions.map((session) => (
              <SessionRow
                key={session.session_id}
                session={session}
                q={q}
                isOpen={session.session_id === openId}
                isStop={session.session_id === stop}
                isRenamed={session.session_id === renamed}
                isMenuOpen={session.session_id === menu?.session.session_id}
                onFocus={() => setFocused(session.session_id)}
                onOpen={() => {
                  useChatStore.getState().openSession(session);
                  onChosen(session.hit?.message_id);
                }}
                onMenu={(anchor) => {
                  const { id, at } = closed.current; // a click on its own button closes the menu before it arrives here
                  if (id !== session.session_id || performance.now() - at > AGAIN_MS) setMenu({ session, anchor });
                }}
                onRename={(title) => {
                  act.rename(session, title);
                  requestAnimationFrame(() => rows().find((each) => each.dataset.session === session.session_id)?.focus());
                }}
              />
            ))}
          </ul>
        </div>
      ))}
      {menu && (
        <SessionMenu
          key={menu.session.session_id}
          anchor={menu.anchor}
          isPrivate={menu.session.memory === "off"}
          isArchived={isArchive}
          onClose={(isLeft) => {
            if (isLeft) closed.current = { id: menu.session.session_id, at: performance.now() };
            setMenu(null);
          }}
          onRename={() => setRenamed(menu.session.session_id)}
          onMemory={() => act.switchMemory(menu.session)}
          onArchive={() => away(menu.session, (session) => act.archive(session, !isArchive))}
          onDelete={() => away(menu.session, act.remove)}
        />
      )}
    </div>
  );
}

/** What is open here and was deleted elsewhere is left for the session that the server has; what was being written goes along. */
function useLeaveDeleted() {
  useLive("session", ({ data }) => {
    const { userId, agentName, sessionId, initializeSessionAsync } = useChatStore.getState();
    if (data.change !== "deleted" || !sessionId || data.session_id !== sessionId || !userId) return;
    unnameChat();
    void initializeSessionAsync(userId, agentName).then(() => {
      const { sessionId: next } = useChatStore.getState();
      if (!next) return;
      const hasMoved = [moveDraft(sessionId, next), movePictures(sessionId, next)].some(Boolean);
      if (hasMoved) toast(strings.sessions.removedElsewhere);
    });
  });
}
