import { useState } from "react";
import { asApiError } from "../api/errors";
import type { Notes } from "../api/types";
import { Button } from "../shell/Button";
import { Dialog } from "../shell/Dialog";
import { ErrorCard } from "../shell/ErrorCard";
import { Waiting } from "../shell/Spinner";
import { toast } from "../shell/toasts";
import { strings } from "../strings";
import { Diff } from "./Diff";
import { useVersion, type useNotesWrites } from "./useNotes";
import { Views } from "../shell/Views";

const words = strings.notes;
const VIEWS = [
  ["text", words.asText],
  ["changes", words.asChanges],
] as const;

interface Props {
  version: number;
  page: Notes;
  isDirty: boolean;
  restore: ReturnType<typeof useNotesWrites>["restore"];
  onClose: () => void;
}

export function NotesVersionDialog({ version, page, isDirty, restore, onClose }: Props) {
  const { data, error, refetch } = useVersion(page.agent_name, version);
  const [view, setView] = useState<"text" | "changes">("text");
  const isNow = version === page.version;
  const bringBack = () => {
    const last = page.version;
    restore.mutate(
      { version, over: last },
      {
        onSuccess: (now) => {
          toast(words.restored(version), last > 0 ? () => restore.mutate({ version: last, over: now.version }) : undefined);
          onClose();
        },
        onError: (refused) => toast(asApiError(refused).detail),
      },
    );
  };
  const action = !isNow && (
    <Button look="primary" busy={restore.isPending} disabled={isDirty} onClick={bringBack}>
      {words.restore}
    </Button>
  );
  return (
    <Dialog title={words.version(version)} onClose={onClose} actions={action} wide>
      {error ? (
        <ErrorCard error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Waiting />
      ) : (
        <div className="look">
          {!isNow && <Views label={words.look} views={VIEWS} shown={view} onChoose={setView} />}
          {view === "changes" && !isNow ? (
            <Diff before={data.notes} after={page.notes} />
          ) : data.notes ? (
            <pre className="look-text" tabIndex={0}>
              {data.notes}
            </pre>
          ) : (
            <p className="soft">{words.empty}</p>
          )}
          {!isNow && isDirty && <p className="small flag">{words.saveFirst}</p>}
        </div>
      )}
    </Dialog>
  );
}
