import { useEffect, useRef, useState } from "react";
import { Button } from "../shell/Button";
import { strings } from "../strings";
import { GrowingText } from "./GrowingText";

interface Props {
  text: string;
  /** Something else was asked after it. */
  isFollowed: boolean;
  /** Whether it was taken. */
  onSend: (text: string) => Promise<boolean>;
  onCancel: () => void;
  /** The message is gone, and this form with it: what was written in it. */
  onLost: (text: string) => void;
}

/** A message of one's own, to be said otherwise: it takes the place of what followed. */
export function EditForm({ text, isFollowed, onSend, onCancel, onLost }: Props) {
  const [draft, setDraft] = useState(text);
  const unsaid = useRef("");
  unsaid.current = draft.trim() === text.trim() ? "" : draft.trim();
  const isOver = useRef(false); // said, or not to be said
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
      if (!isOver.current && unsaid.current) onLost(unsaid.current);
    };
  }, [onLost]);
  const cancel = () => {
    isOver.current = true;
    onCancel();
  };
  const send = async () => {
    if (!draft.trim()) return;
    isOver.current = true;
    isOver.current = await onSend(draft);
    if (!isOver.current && isGone.current) onLost(draft.trim());
  };
  return (
    <form
      className="edit-form"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
        event.stopPropagation();
        cancel();
      }}
    >
      <GrowingText label={strings.chat.edit} value={draft} onChange={setDraft} onEnter={() => void send()} autoFocus />
      {isFollowed && <p className="small soft">{strings.chat.editReplaces}</p>}
      <div className="edit-actions">
        <Button size="small" look="quiet" onClick={cancel}>
          {strings.shell.cancel}
        </Button>
        <Button size="small" look="primary" type="submit" disabled={!draft.trim()}>
          {strings.chat.saveEdit}
        </Button>
      </div>
    </form>
  );
}
