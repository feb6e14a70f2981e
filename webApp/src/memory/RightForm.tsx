import { useState, type FormEvent } from "react";
import { Button } from "../shell/Button";
import { strings } from "../strings";
import { MOST_BYTES, sizeOf } from "./edits";

const words = strings.memory;

interface Props {
  text: string;
  isBusy: boolean;
  onSave: (text: string) => void;
}

/** What is right instead of what was wrong, for who wants to say it. */
export function RightForm({ text, isBusy, onSave }: Props) {
  const [typed, setTyped] = useState(text);
  const right = typed.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave(right);
  };
  return (
    <form className="memory-right" onSubmit={submit}>
      <input className="input" aria-label={words.whatIsRight} placeholder={words.whatIsRight} value={typed} onChange={(event) => setTyped(event.target.value)} />
      <Button size="small" type="submit" busy={isBusy} disabled={!right || right === text.trim() || sizeOf(right) > MOST_BYTES}>
        {words.save}
      </Button>
    </form>
  );
}
