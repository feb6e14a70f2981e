import { useEffect, useRef, useState } from "react";
import { asApiError } from "../api/errors";
import { addressOfChat, namedChat } from "../session/address";
import { useUpsertActiveChatSession } from "../session/useChatSessionHooks";
import { useChatStore } from "../session/useChatStore";
import { Button } from "../shell/Button";
import { ErrorCard } from "../shell/ErrorCard";
import { ArchiveIcon, CloseIcon, LockIcon, PlusIcon, SearchIcon } from "../shell/icons";
import { navigate } from "../shell/router";
import { Waiting } from "../shell/Spinner";
import { toast } from "../shell/toasts";
import { strings } from "../strings";
import { SessionList } from "./SessionList";
import { useSessions, useSettled } from "./useSessions";
import "./sessions.css";

const words = strings.sessions;
const TYPING_MS = 200;

/** The user's conversations, in the sidebar: found, opened, renamed, put away. */
export function SessionsPanel({ onChoose }: { onChoose?: () => void }) {
  const [typed, setTyped] = useState("");
  const [isArchive, setArchive] = useState(false);
  const q = useSettled(typed.trim(), TYPING_MS);
  const list = useSessions({ q, isArchive });
  const chosen = (messageId?: string) => {
    const { sessionId } = useChatStore.getState();
    navigate(addressOfChat(sessionId, messageId), { replace: namedChat() === sessionId }); // Back leads to what was before it
    onChoose?.();
  };
  const empty = q ? words.noneFound : isArchive ? words.noneArchived : words.none;
  return (
    <section className="sessions-panel" aria-label={strings.session.list}>
      <div className="sessions-head">
        <NewChat onMade={() => chosen()} />
        <Search typed={typed} onType={setTyped} />
      </div>
      <p className="hidden-visually" role="status">
        {q && list.isSuccess && !list.isPlaceholderData ? words.found(list.sessions.length, list.hasNextPage) : ""}
      </p>
      {isArchive && <p className="sessions-group">{words.archive}</p>}
      {list.isPending && <Waiting />}
      {list.isError && list.sessions.length === 0 && (
        <ErrorCard error={list.error} onRetry={() => void list.refetch()} busy={list.isFetching} />
      )}
      {list.isSuccess && list.sessions.length === 0 && <p className="sessions-empty">{empty}</p>}
      <SessionList sessions={list.sessions} q={q} isArchive={isArchive} onChosen={chosen} />
      <div className="sessions-foot">
        {list.hasNextPage && (
          <Button look="quiet" size="small" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {words.older}
          </Button>
        )}
        <Button look="quiet" size="small" icon={<ArchiveIcon size={15} />} aria-pressed={isArchive} onClick={() => setArchive(!isArchive)}>
          {isArchive ? words.leaveArchive : words.archive}
        </Button>
      </div>
    </section>
  );
}

function NewChat({ onMade }: { onMade: () => void }) {
  const agentName = useChatStore((state) => state.agentName);
  const create = useUpsertActiveChatSession();
  const begin = (isPrivate: boolean) =>
    create.mutate({ agentName, isPrivate }, { onSuccess: onMade, onError: (error) => void toast(asApiError(error).detail) });
  return (
    <div className="sessions-new">
      <Button icon={<PlusIcon />} disabled={create.isPending} onClick={() => begin(false)}>
        {strings.session.newChat}
      </Button>
      <Button label={words.privateChat} icon={<LockIcon />} disabled={create.isPending} onClick={() => begin(true)} />
    </div>
  );
}

function Search({ typed, onType }: { typed: string; onType: (text: string) => void }) {
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const find = (event: KeyboardEvent) => {
      const isAsked = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey;
      if (!isAsked || ref.current?.offsetParent === null) return; // the drawer has a second one
      event.preventDefault();
      ref.current?.focus();
      ref.current?.select();
    };
    addEventListener("keydown", find);
    return () => removeEventListener("keydown", find);
  }, []);
  return (
    <div className="search-field sessions-search">
      <SearchIcon size={16} />
      <input
        ref={ref}
        className="input"
        type="text"
        role="searchbox"
        aria-label={words.search}
        placeholder={words.search}
        aria-keyshortcuts="Control+K Meta+K"
        value={typed}
        maxLength={200}
        autoComplete="off"
        onChange={(event) => onType(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && typed) {
            event.preventDefault(); // it would close the drawer
            event.stopPropagation();
            onType("");
          }
          if (event.key === "ArrowDown") {
            event.preventDefault();
            event.currentTarget.closest("section")?.querySelector<HTMLElement>("[data-session]")?.focus();
          }
        }}
      />
      {typed && <Button look="quiet" size="small" label={words.clearSearch} icon={<CloseIcon size={14} />} onClick={() => onType("")} />}
    </div>
  );
}
