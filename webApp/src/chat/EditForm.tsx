import { useState } from "react";
import { Button } from "../shell/Button";
import { strings } from "../strings";
import { GrowingText } from "./GrowingText";

interface Props {
  text: string;
  /** Something else was asked after it. */
  isFollowed: boolean;
  onSend: (text: string) => void;
  onCancel: () => void;
}

/** A message of one's own, to be said otherwise: it takes the place of what followed. */
export function EditForm({ text, isFollowed, onSend, onCancel }: Props) {
  const [draft, setDraft] = useState(text);
  const send = () => draft.trim() && onSend(draft);
  return (
    <form
      className="edit-form"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
        event.stopPropagation();
        onCancel();
      }}
    >
      <GrowingText label={strings.chat.edit} value={draft} onChange={setDraft} onEnter={send} autoFocus />
      {isFollowed && <p className="small soft">{strings.chat.editReplaces}</p>}
      <div className="edit-actions">
        <Button size="small" look="quiet" onClick={onCancel}>
          {strings.shell.cancel}
        </Button>
        <Button size="small" look="primary" type="submit" disabled={!draft.trim()}>
          {strings.chat.saveEdit}
        </Button>
      </div>
    </form>
  );
}
