import { useMutation } from "@tanstack/react-query";
import { asApiError } from "../api/errors";
import type { Memory } from "../api/types";
import { Button } from "../shell/Button";
import { TrashIcon } from "../shell/icons";
import { plainText } from "../shell/plainText";
import { toast } from "../shell/toasts";
import { strings } from "../strings";
import { bringBack, forget } from "./changes";
import { givenTags } from "./edits";
import { ago, dayOf } from "./moments";

const words = strings.memory;
const EVERY_AGENT = "*";

/** Forget it, and say how to have it back. */
export function useForget() {
  return useMutation({
    mutationFn: ({ id }: Pick<Memory, "id">) => forget(id),
    onSuccess: (_, { id }) => {
      toast(words.forgotten, () => bringBack([id]).then(() => toast(words.restored), tellError));
    },
    onError: tellError,
  });
}

export const tellError = (error: unknown): void => void toast(asApiError(error).detail);

interface Props {
  memory: Memory;
  onOpen: () => void;
  onTag: (tag: string) => void;
}

export function MemoryRow({ memory, onOpen, onTag }: Props) {
  const gone = useForget();
  const isOver = memory.valid_to !== null && Date.parse(memory.valid_to) <= Date.now();
  return (
    <li className="row" data-over={isOver}>
      <div className="row-body">
        <button type="button" className="row-text" onClick={onOpen}>
          {plainText(memory.text)}
        </button>
        <p className="row-meta">
          <span>{words.kinds[memory.kind]}</span>
          <span>{words.categories[memory.category]}</span>
          <span>{memory.agent_name === EVERY_AGENT ? words.everyAgent : memory.agent_name}</span>
          <span>{ago(memory.updated_at)}</span>
          {memory.tier === "short" && <span>{words.tiers.short}</span>}
          {memory.trust === "untrusted" && <span className="flag">{words.trusts.untrusted}</span>}
          {isOver && memory.valid_to && <span className="flag">{words.held(dayOf(memory.valid_to))}</span>}
          {givenTags(memory).map((tag) => (
            <button key={tag} type="button" className="chip" onClick={() => onTag(tag)}>
              #{tag}
            </button>
          ))}
        </p>
      </div>
      <Button
        look="quiet"
        size="small"
        label={words.forgetOf(memory.text)}
        title={words.forget}
        icon={<TrashIcon size={16} />}
        busy={gone.isPending}
        onClick={() => gone.mutate(memory)}
      />
    </li>
  );
}
