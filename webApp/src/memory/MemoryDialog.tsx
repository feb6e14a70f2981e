import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../api/errors";
import type { WholeMemory } from "../api/types";
import { Button } from "../shell/Button";
import { Dialog } from "../shell/Dialog";
import { ErrorCard } from "../shell/ErrorCard";
import { plainText } from "../shell/plainText";
import { Waiting } from "../shell/Spinner";
import { toast } from "../shell/toasts";
import { strings } from "../strings";
import { edit, undo, type MemoryEdit } from "./changes";
import { lastChange } from "./history";
import { MemoryFacts } from "./MemoryFacts";
import { MemoryForm } from "./MemoryForm";
import { MemoryHistory } from "./MemoryHistory";
import { MemorySource } from "./MemorySource";
import { UndoDialog } from "./UndoDialog";
import { tellError, useForget } from "./MemoryRow";
import { useMemory } from "./useMemories";

const words = strings.memory;
const ASKED_FIRST = ["created", "superseded"]; // to undo them changes other memories, too

interface Props {
  id: string;
  onOpen: (id: string) => void;
  onClose: () => void;
}

/** One memory: what it says, since when, from where, and what was done to it. */
export function MemoryDialog({ id, onOpen, onClose }: Props) {
  const { data, error, refetch } = useMemory(id);
  const isMissing = error instanceof ApiError && error.status === 404;
  if (data) return <Whole memory={data} onOpen={onOpen} onClose={onClose} />;
  return (
    <Dialog title={strings.nav.memory} onClose={onClose} wide>
      {isMissing ? <p>{words.notThere}</p> : error ? <ErrorCard error={error} onRetry={() => void refetch()} /> : <Waiting />}
    </Dialog>
  );
}

function Whole({ memory, onOpen, onClose }: { memory: WholeMemory; onOpen: (id: string) => void; onClose: () => void }) {
  const [isEditing, setEditing] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const last = lastChange(memory.changes)?.operation;
  const gone = useForget();
  const save = useMutation({ mutationFn: (body: MemoryEdit) => edit(memory.id, body), onSuccess: () => setEditing(false) });
  const back = useMutation({
    mutationFn: () => undo(memory.id),
    onSuccess: (left) => {
      setAsked(false);
      toast(left ? words.restored : words.takenBack, left ? undefined : () => void undo(memory.id).catch(tellError));
      if (!left) onClose();
    },
    onError: tellError,
  });
  if (isEditing) {
    const { error, isPending, mutate } = save;
    return <MemoryForm title={words.edit} memory={memory} error={error} isSaving={isPending} onSave={mutate} onCancel={() => setEditing(false)} />;
  }
  if (isAsked) {
    return <UndoDialog memory={memory} isMade={last === "created"} isBusy={back.isPending} onUndo={back.mutate} onClose={() => setAsked(false)} />;
  }
  const actions = (
    <>
      {last && (
        <Button busy={back.isPending} onClick={() => (ASKED_FIRST.includes(last) ? setAsked(true) : back.mutate())}>
          {last === "created" ? words.undoMade : words.undoLast}
        </Button>
      )}
      <Button busy={gone.isPending} onClick={() => gone.mutate(memory, { onSuccess: onClose })}>
        {words.forget}
      </Button>
      <Button look="primary" onClick={() => setEditing(true)}>
        {words.edit}
      </Button>
    </>
  );
  return (
    <Dialog title={words.kinds[memory.kind] ?? strings.nav.memory} onClose={onClose} actions={actions} wide>
      <div className="whole">
        <p className="whole-text">{plainText(memory.text)}</p>
        <MemoryFacts memory={memory} onOpen={onOpen} />
        <MemorySource memory={memory} onLeave={onClose} />
        <MemoryHistory changes={memory.changes} />
        {last === "created" && <p className="small soft">{words.undoOrForget}</p>}
      </div>
    </Dialog>
  );
}
