import { Button } from "../shell/Button";
import { strings } from "../strings";

interface Props {
  onAgain: () => void;
  onCancel: () => void;
}

/** Asked before an answer is made anew that was gone on from: one click should not take away all that followed. */
export function AgainForm({ onAgain, onCancel }: Props) {
  return (
    <div
      className="edit-form"
      role="group"
      aria-label={strings.chat.again}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onCancel();
      }}
    >
      <p className="small soft">{strings.chat.editReplaces}</p>
      <div className="edit-actions">
        <Button size="small" look="quiet" autoFocus onClick={onCancel}>
          {strings.shell.cancel}
        </Button>
        <Button size="small" look="primary" onClick={onAgain}>
          {strings.chat.again}
        </Button>
      </div>
    </div>
  );
}
