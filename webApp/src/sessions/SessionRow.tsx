import { useRef, useState } from "react";
import type { Session } from "../api/types";
import { Button } from "../shell/Button";
import { LockIcon, MoreIcon } from "../shell/icons";
import { plainText } from "../shell/plainText";
import { strings } from "../strings";
import { piecesOf } from "./found";
import type { Anchor } from "./SessionMenu";
import { titleOf } from "./useSessionActions";

interface Props {
  session: Session;
  /** What was searched for. */
  q: string;
  isOpen: boolean;
  /** Where the Tab key stops in the list. */
  isStop: boolean;
  isRenamed: boolean;
  isMenuOpen: boolean;
  onFocus: () => void;
  onOpen: () => void;
  onMenu: (anchor: Anchor) => void;
  /** null: as it was. */
  onRename: (title: string | null) => void;
}

export function SessionRow({ session, q, isOpen, isStop, isRenamed, isMenuOpen, onFocus, onOpen, onMenu, onRename }: Props) {
  const title = titleOf(session);
  if (isRenamed) {
    return (
      <li className="session-row" data-renamed="true">
        <TitleInput title={session.title ?? ""} onDone={onRename} />
      </li>
    );
  }
  return (
    <li className="session-row" data-open={isOpen}>
      <button
        type="button"
        className="session"
        data-session={session.session_id}
        tabIndex={isStop ? 0 : -1}
        aria-current={isOpen ? "true" : undefined}
        title={title}
        onFocus={onFocus}
        onClick={onOpen}
      >
        {session.memory === "off" && (
          <span className="session-mark">
            <LockIcon size={14} />
            <span className="hidden-visually">{strings.sessions.isPrivate}: </span>
          </span>
        )}
        <span className="session-lines">
          <span className="one-line">{title}</span>
          {session.hit && <FoundLine text={session.hit.text} q={q} />}
        </span>
      </button>
      <Button
        look="quiet"
        size="small"
        label={strings.sessions.more(title)}
        icon={<MoreIcon size={16} />}
        tabIndex={isStop ? 0 : -1}
        aria-haspopup="menu"
        aria-expanded={isMenuOpen}
        onFocus={onFocus}
        onClick={(event) => onMenu(event.currentTarget)}
      />
    </li>
  );
}

function FoundLine({ text, q }: { text: string; q: string }) {
  return (
    <span className="session-found">
      {piecesOf(plainText(text), q).map((piece, place) => (piece.isMatch ? <mark key={place}>{piece.text}</mark> : piece.text))}
    </span>
  );
}

/** Enter and leaving it keep what is written, Esc keeps what was there. */
function TitleInput({ title, onDone }: { title: string; onDone: (title: string | null) => void }) {
  const [written, setWritten] = useState(title);
  const isDone = useRef(false); // leaving follows Enter and Esc
  const done = (result: string | null) => {
    if (isDone.current) return;
    isDone.current = true;
    onDone(result);
  };
  return (
    <input
      className="input session-input"
      aria-label={strings.sessions.newTitle}
      value={written}
      maxLength={200}
      autoFocus
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setWritten(event.target.value)}
      onBlur={() => done(written.trim() || null)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Enter") done(written.trim() || null);
        if (event.key === "Escape") {
          event.preventDefault();
          done(null);
        }
      }}
    />
  );
}
