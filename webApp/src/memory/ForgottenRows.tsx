import { useMutation } from "@tanstack/react-query";
import type { Audit } from "../api/types";
import { Button } from "../shell/Button";
import { plainText } from "../shell/plainText";
import { toast } from "../shell/toasts";
import { strings } from "../strings";
import { bringBack } from "./changes";
import { tellError } from "./MemoryRow";
import { ago } from "./moments";

const words = strings.memory;

/** What was forgotten, each with the way to have it back. */
export function ForgottenRows({ entries }: { entries: Audit["forgotten"] }) {
  if (!entries.length) return null;
  return (
    <section>
      <h2>{words.forgottenTitle}</h2>
      <p className="small soft">{entries[0]?.suggestion}</p>
      <ul className="rows">
        {entries.map((each) => (
          <Row key={each.memory.id} entry={each} />
        ))}
      </ul>
    </section>
  );
}

function Row({ entry: { memory, forgotten_at } }: { entry: Audit["forgotten"][number] }) {
  const named = plainText(memory.text);
  const back = useMutation({ mutationFn: () => bringBack([memory.id]), onSuccess: () => void toast(words.restored), onError: tellError });
  return (
    <li className="row">
      <div className="row-body">
        <p>{named}</p>
        <p className="row-meta">
          <span>{words.forgottenWhen(ago(forgotten_at))}</span>
        </p>
      </div>
      <Button size="small" busy={back.isPending} aria-label={words.undoOf(named)} onClick={() => back.mutate()}>
        {strings.shell.undo}
      </Button>
    </li>
  );
}
