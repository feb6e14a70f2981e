import { useEffect, useId, useRef, type ReactNode } from "react";
import { strings } from "../strings";
import { Button } from "./Button";
import { CloseIcon } from "./icons";
import { Toasts } from "./Toasts";

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
  actions?: ReactNode;
  wide?: boolean;
}

/** A modal: the browser's <dialog> keeps the focus inside, closes on Esc and gives the focus back. Drawn = open. */
export function Dialog({ title, onClose, children, actions, wide }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog || dialog.open) return;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className="dialog"
      tabIndex={-1}
      data-wide={wide ?? false}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClose={() => !ref.current?.open && onClose()} // a second Esc in a row closes it without asking
      onClick={(event) => event.target === ref.current && isOutside(event.nativeEvent, ref.current) && onClose()}
    >
      <div className="dialog-head">
        <h2 id={titleId}>{title}</h2>
        <Button look="quiet" size="small" label={strings.shell.close} icon={<CloseIcon />} onClick={onClose} />
      </div>
      {children}
      {actions && <div className="dialog-actions">{actions}</div>}
      <Toasts />
    </dialog>
  );
}

/** A click on the backdrop has the dialog as its target, and lies outside its box. */
function isOutside(event: MouseEvent, dialog: HTMLDialogElement): boolean {
  const box = dialog.getBoundingClientRect();
  const { clientX: x, clientY: y } = event;
  return x < box.left || x > box.right || y < box.top || y > box.bottom;
}
