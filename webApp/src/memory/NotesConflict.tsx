import { useState } from "react";
import type { Notes } from "../api/types";
import { Button } from "../shell/Button";
import { Dialog } from "../shell/Dialog";
import { strings } from "../strings";
import { Diff } from "./Diff";

const words = strings.notes;

interface Props {
  mine: string;
  theirs: Notes;
  isSaving: boolean;
  onSave: (notes: string) => void;
  onTakeTheirs: () => void;
  onClose: () => void;
}

/** Two texts of one page: keep mine, take theirs, or make one of both. The box begins with mine. */
export function NotesConflict({ mine, theirs, isSaving, onSave, onTakeTheirs, onClose }: Props) {
  const [merged, setMerged] = useState(mine);
  const actions = (
    <>
      <Button onClick={onTakeTheirs}>{words.takeTheirs}</Button>
      <Button disabled={isSaving} onClick={() => onSave(mine)}>
        {words.keepMine}
      </Button>
      <Button look="primary" busy={isSaving} disabled={merged === mine} onClick={() => onSave(merged)}>
        {words.saveMerged}
      </Button>
    </>
  );
  return (
    <Dialog title={words.conflictTitle} onClose={onClose} actions={actions} wide>
      <div className="conflict">
        <p className="soft">{words.conflictLead}</p>
        <Legend version={theirs.version} />
        <Diff before={theirs.notes} after={mine} />
        <div className="conflict-sides">
          <label className="field">
            <span>{words.theirs(theirs.version)}</span>
            <textarea className="input" rows={10} readOnly value={theirs.notes} />
          </label>
          <label className="field">
            <span>{words.merged}</span>
            <textarea className="input" rows={10} value={merged} onChange={(event) => setMerged(event.target.value)} />
          </label>
        </div>
      </div>
    </Dialog>
  );
}

function Legend({ version }: { version: number }) {
  return (
    <p className="diff-legend small">
      <span data-kind="removed">− {words.theirs(version)}</span>
      <span data-kind="added">+ {words.mine}</span>
    </p>
  );
}
