import { useEffect, useState } from "react";
import type { Notes } from "../api/types";
import { Button } from "../shell/Button";
import { ErrorCard } from "../shell/ErrorCard";
import { toast } from "../shell/toasts";
import { strings } from "../strings";
import { ago } from "./moments";
import { useNotesDraft } from "./notesDraft";
import { NotesConflict } from "./NotesConflict";
import { NotesVersions } from "./NotesVersions";
import { isConflict, useNotesWrites } from "./useNotes";

const words = strings.notes;
const MOST_BYTES = 65_536;

/** The page as it is, what the user makes of it, and what happens when somebody else was quicker. */
export function NotesEditor({ userId, page }: { userId: string; page: Notes }) {
  const agent = page.agent_name;
  const [draft, keepDraft, savedDraft] = useNotesDraft(userId, agent);
  const [theirs, setTheirs] = useState<Notes | null>(null);
  const { save, restore, readLatest } = useNotesWrites(agent);
  const text = draft?.text ?? page.notes;
  const isDirty = draft !== null && draft.text !== page.notes;
  const isBehind = isDirty && draft.over !== page.version;
  const bytes = new TextEncoder().encode(text).length;

  const write = (notes: string, over: number) =>
    save.mutate(
      { notes, over },
      {
        onSuccess: ({ version }) => {
          savedDraft(draft, version);
          setTheirs(null);
          toast(words.saved);
        },
        // Whatever was refused is still in the draft; what it is compared with is read anew.
        onError: (error) => isConflict(error) && void readLatest().then(setTheirs, () => undefined),
      },
    );
  const isSavable = isDirty && bytes <= MOST_BYTES && !save.isPending;
  const saveDraft = () => {
    if (isSavable && draft) write(draft.text, draft.over);
  };
  useWarnOfLoss(isDirty);

  return (
    <div className="notes">
      <section
        className="notes-editor"
        onKeyDown={(event) => {
          if (!(event.ctrlKey || event.metaKey) || event.key !== "s") return;
          event.preventDefault();
          saveDraft();
        }}
      >
        {isBehind && (
          <div className="notice" role="status">
            <p>{words.newerNotice(page.version)}</p>
            <Button size="small" onClick={() => setTheirs(page)}>
              {words.compare}
            </Button>
          </div>
        )}
        <label className="field">
          <span className="hidden-visually">{words.text}</span>
          <textarea
            className="input notes-text"
            value={text}
            placeholder={words.placeholder}
            spellCheck
            onChange={(event) => keepDraft({ text: event.target.value, over: draft && isDirty ? draft.over : page.version })}
          />
        </label>
        {save.error && !isConflict(save.error) ? <ErrorCard error={save.error} /> : null}
        <div className="notes-foot">
          <p className="small soft" role="status">
            {isDirty ? words.unsaved : words.upToDate(page.version)}
            {!isDirty && page.updated_at && page.version > 0 && `, ${words.changed(ago(page.updated_at))}`}
            {" · "}
            <span className={bytes > MOST_BYTES ? "flag" : undefined}>{bytes > MOST_BYTES ? words.tooLarge : words.size(bytes, MOST_BYTES)}</span>
          </p>
          <div className="notes-actions">
            {isDirty && <Discard draft={draft} onKeep={keepDraft} />}
            <Button look="primary" busy={save.isPending} disabled={!isSavable} onClick={saveDraft}>
              {words.save}
            </Button>
          </div>
        </div>
      </section>
      <NotesVersions page={page} isDirty={isDirty} restore={restore} />
      {theirs && draft && (
        <NotesConflict
          mine={draft.text}
          theirs={theirs}
          isSaving={save.isPending}
          onSave={(notes) => write(notes, theirs.version)}
          onTakeTheirs={() => {
            const aside = draft;
            keepDraft(null);
            setTheirs(null);
            toast(words.tookTheirs, () => keepDraft({ text: aside.text, over: theirs.version }));
          }}
          onClose={() => setTheirs(null)}
        />
      )}
    </div>
  );
}

type Draft = ReturnType<typeof useNotesDraft>[0];

function Discard({ draft, onKeep }: { draft: Draft; onKeep: (draft: Draft) => void }) {
  const discard = () => {
    onKeep(null);
    toast(words.discarded, () => onKeep(draft));
  };
  return (
    <Button look="quiet" onClick={discard}>
      {words.discard}
    </Button>
  );
}

/** A tab that is closed takes its draft with it. */
function useWarnOfLoss(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isDirty]);
}
