import { useRef } from "react";
import { strings } from "../strings";
import { Button } from "./Button";
import { CloseIcon } from "./icons";
import { useToasts, type Toast } from "./toasts";

/** Also within each modal dialog, which covers those of the page and takes them out of reach. */
export function Toasts() {
  const { toasts, dismiss } = useToasts();
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map((each) => (
        <ToastLine key={each.id} toast={each} onDone={() => dismiss(each.id)} />
      ))}
    </div>
  );
}

function ToastLine({ toast, onDone }: { toast: Toast; onDone: () => void }) {
  const { undo } = toast;
  const line = useRef<HTMLDivElement>(null);
  const leave = () => {
    const place = line.current?.closest("dialog") ?? document.getElementById("main");
    place?.focus({ preventScroll: true }); // else who acts by keyboard begins at the top again
    onDone();
  };
  return (
    <div className="toast" ref={line}>
      <span>{toast.text}</span>
      {undo && (
        <Button
          size="small"
          onClick={() => {
            undo();
            leave();
          }}
        >
          {strings.shell.undo}
        </Button>
      )}
      <Button size="small" label={strings.shell.dismiss} icon={<CloseIcon />} onClick={leave} />
    </div>
  );
}
