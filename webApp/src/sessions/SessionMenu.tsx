import { useEffect, useRef, type KeyboardEvent, type ReactNode } from "react";
import { ArchiveIcon, EditIcon, LockIcon, TrashIcon } from "../shell/icons";
import { strings } from "../strings";
import "./menu.css";

export type Anchor = HTMLElement;

interface Props {
  anchor: Anchor;
  isPrivate: boolean;
  isArchived: boolean;
  /** `isLeft`: without a choice. */
  onClose: (isLeft: boolean) => void;
  onRename: () => void;
  onMemory: () => void;
  onArchive: () => void;
  onDelete: () => void;
}

const words = strings.sessions;
const GAP = 4;

/** A popover: the browser closes it on Esc and on a click beside it, and gives the focus back. */
export function SessionMenu({ anchor, isPrivate, isArchived, onClose, onRename, onMemory, onArchive, onDelete }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  const closed = useRef(onClose);
  closed.current = onClose;
  useEffect(() => {
    const menu = ref.current;
    if (!menu) return;
    const onToggle = (event: Event) => (event as ToggleEvent).newState === "closed" && closed.current(true);
    menu.showPopover();
    const place = anchor.getBoundingClientRect();
    const top = Math.min(place.bottom + GAP, innerHeight - menu.offsetHeight - GAP);
    const left = Math.min(place.left, innerWidth - menu.offsetWidth - GAP);
    menu.style.setProperty("top", `${top}px`);
    menu.style.setProperty("left", `${left}px`);
    menu.querySelector<HTMLElement>("button")?.focus();
    menu.addEventListener("toggle", onToggle);
    return () => menu.removeEventListener("toggle", onToggle);
  }, [anchor]);

  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Tab") return ref.current?.hidePopover();
    const all = [...(ref.current?.querySelectorAll<HTMLElement>("button") ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    all.at(next % all.length)?.focus();
  };
  const item = (name: string, icon: ReactNode, act: () => void, isDanger = false) => (
    <button
      type="button"
      role="menuitem"
      className="session-menu-item"
      data-danger={isDanger}
      tabIndex={-1}
      onClick={() => {
        ref.current?.hidePopover();
        onClose(false);
        act();
      }}
    >
      {icon}
      {name}
    </button>
  );
  return (
    <div ref={ref} popover="auto" role="menu" className="session-menu" aria-label={anchor.getAttribute("aria-label") ?? undefined} onKeyDown={onKeyDown}>
      {item(words.rename, <EditIcon size={16} />, onRename)}
      {item(isPrivate ? words.mindful : words.forgetful, <LockIcon size={16} />, onMemory)}
      {item(isArchived ? words.fromArchive : words.toArchive, <ArchiveIcon size={16} />, onArchive)}
      {item(words.remove, <TrashIcon size={16} />, onDelete, true)}
    </div>
  );
}
