import { useState, type FormEvent } from "react";
import type { Memory } from "../api/types";
import { Button } from "../shell/Button";
import { Dialog } from "../shell/Dialog";
import { ErrorCard } from "../shell/ErrorCard";
import { strings } from "../strings";
import type { MemoryEdit } from "./changes";
import { changedBy, fieldsOf, MOST_BYTES, sizeOf, type Fields } from "./edits";
import { Select } from "./Select";

const words = strings.memory;

interface Props {
  title: string;
  memory?: Memory;
  error: unknown;
  isSaving: boolean;
  onSave: (edit: MemoryEdit) => void;
  onCancel: () => void;
}

/** The fields of a memory, in a dialog; only what differs is sent, and what is written is not lost by one Esc. */
export function MemoryForm({ title, memory, error, isSaving, onSave, onCancel }: Props) {
  const [fields, setFields] = useState<Fields>(() => fieldsOf(memory));
  const [isAsked, setAsked] = useState(false);
  const set = (part: Partial<Fields>) => {
    setFields({ ...fields, ...part });
    setAsked(false);
  };
  const change = changedBy(fields, memory);
  const leave = () => (Object.keys(change).length && !isAsked ? setAsked(true) : onCancel());
  const bytes = sizeOf(fields.text);
  const isTooLong = bytes > MOST_BYTES;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (Object.keys(change).length) onSave(change);
    else onCancel();
  };
  return (
    <Dialog title={title} onClose={leave} wide>
      <form className="memory-form" onSubmit={submit}>
        <label className="field">
          <span>{words.text}</span>
          <textarea className="input" rows={3} required autoFocus value={fields.text} onChange={(event) => set({ text: event.target.value })} />
        </label>
        {isTooLong && <p className="small flag">{words.tooLong(bytes)}</p>}
        <div className="form-grid">
          <Select label={words.kind} value={fields.kind} choices={choices(words.kinds, !memory)} onChange={(kind) => set({ kind })} />
          <Select label={words.category} value={fields.category} choices={choices(words.categories, !memory)} onChange={(category) => set({ category })} />
          {memory && <Select label={words.tier} value={fields.tier} choices={choices(words.tiers, false)} onChange={(tier) => set({ tier })} />}
          <label className="field">
            <span>
              {words.importance}: {fields.importance === null ? words.any : `${fields.importance} %`}
            </span>
            <input type="range" min="0" max="100" step="5" value={fields.importance ?? 50} onChange={(event) => set({ importance: Number(event.target.value) })} />
          </label>
          {memory && (
            <label className="field">
              <span>{words.validTo}</span>
              <input className="input" type="date" value={fields.validTo} onChange={(event) => set({ validTo: event.target.value })} />
            </label>
          )}
          <label className="field">
            <span>{words.expires}</span>
            <input className="input" type="date" value={fields.expires} onChange={(event) => set({ expires: event.target.value })} />
          </label>
        </div>
        <label className="field">
          <span>
            {words.tags} ({words.tagsHint})
          </span>
          <input className="input" value={fields.tags} onChange={(event) => set({ tags: event.target.value })} />
        </label>
        {error ? <ErrorCard error={error} /> : null}
        <p className="small flag" role="status">
          {isAsked && words.unsaved}
        </p>
        <div className="dialog-actions">
          <Button onClick={onCancel}>{strings.shell.cancel}</Button>
          <Button look="primary" type="submit" busy={isSaving} disabled={!fields.text.trim() || isTooLong}>
            {words.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const choices = (names: Record<string, string>, withNone: boolean): [string, string][] =>
  withNone ? [["", strings.memory.byText], ...Object.entries(names)] : Object.entries(names);
