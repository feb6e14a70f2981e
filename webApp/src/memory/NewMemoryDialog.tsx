import { useMutation } from "@tanstack/react-query";
import { toast } from "../shell/toasts";
import { strings } from "../strings";
import { add, undo, type NewMemory } from "./changes";
import { MemoryForm } from "./MemoryForm";
import { tellError } from "./MemoryRow";

const words = strings.memory;

/** A memory of the user's own making. */
export function NewMemoryDialog({ onClose }: { onClose: () => void }) {
  const save = useMutation({
    mutationFn: (body: NewMemory) => add(body),
    onSuccess: ({ memory, isNew }) => {
      toast(isNew ? words.added : words.known, isNew ? () => void undo(memory.id).catch(tellError) : undefined);
      onClose();
    },
  });
  return (
    <MemoryForm title={words.add} error={save.error} isSaving={save.isPending} onSave={(edit) => save.mutate(edit as NewMemory)} onCancel={onClose} />
  );
}
