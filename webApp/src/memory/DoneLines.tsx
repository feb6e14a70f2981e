import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client";
import { asApiError } from "../api/errors";
import { keys, queryClient } from "../api/query";
import type { DataParts } from "../chat/message";
import { Button } from "../shell/Button";
import { Link } from "../shell/Link";
import { toast } from "../shell/toasts";
import { useFocusFollows } from "../shell/useFocusFollows";
import { strings } from "../strings";
import type { Done } from "./answer";
import { bringBack, showAgain } from "./changes";

const words = strings.memory;

/** What the agent itself has written with its tools, each with a way back. */
export function NotesLines({ notes }: { notes: Done["notes"] }) {
  return notes.map((each) => (
    <DoneLine
      key={each.version}
      text={each.untrusted ? words.notesFlagged : words.notesChanged}
      isFlagged={each.untrusted}
      undo={() => restore(each)}
      link={`/notes?agent=${encodeURIComponent(each.agent_name)}`}
    />
  ));
}

/** What it has let be forgotten. */
export function GoneLines({ forgotten, passedOver }: Pick<Done, "forgotten" | "passedOver">) {
  return (
    <>
      {forgotten.length > 0 && <DoneLine key={forgotten.join()} text={words.forgotSome(forgotten.length)} undo={() => bringBack(forgotten)} />}
      {passedOver.length > 0 && <DoneLine key={passedOver.join()} text={words.passedOverSome(passedOver.length)} undo={() => findAgain(passedOver)} />}
    </>
  );
}

/** The page as it was before; refused when somebody has changed it since: then the versions are the way. */
async function restore({ agent_name, version, previous_version }: DataParts["notes"]): Promise<void> {
  const path = { name: agent_name, version: previous_version };
  if (previous_version === 0) {
    await call("put", "/api/agents/{name}/notes", { path: { name: agent_name }, headers: { "If-Match": `"${version}"` }, body: { notes: "" } });
  } else {
    await call("post", "/api/agents/{name}/notes/versions/{version}/restore", { path, headers: { "If-Match": `"${version}"` } });
  }
  void queryClient.invalidateQueries({ queryKey: keys.notes });
}

/** What somebody has brought back meanwhile is not there to be brought back. */
async function findAgain(ids: string[]): Promise<void> {
  for (const id of ids) await showAgain(id).catch(unlessUnknown);
}

function unlessUnknown(error: unknown): void {
  if (asApiError(error).status !== 404) throw error;
}

function DoneLine({ text, undo, link, isFlagged }: { text: string; undo: () => Promise<void>; link?: string; isFlagged?: boolean }) {
  const [isUndone, setUndone] = useState(false);
  const line = useFocusFollows<HTMLLIElement>(isUndone);
  const run = useMutation({
    mutationFn: undo,
    onSuccess: () => setUndone(true),
    onError: (error) => toast(asApiError(error).detail),
  });
  return (
    <li ref={line} className="memory-line" data-flagged={isFlagged} tabIndex={-1}>
      <div className="memory-line-text">
        <p>{text}</p>
        <p className="small soft">
          {isUndone ? <span role="status">{words.restored}</span> : link && <Link to={link}>{words.details}</Link>}
        </p>
      </div>
      <div className="memory-line-ways">
        {!isUndone && (
          <Button look="quiet" size="small" busy={run.isPending} aria-label={words.undoOf(text)} onClick={() => run.mutate()}>
            {strings.shell.undo}
          </Button>
        )}
      </div>
    </li>
  );
}
