import { useState } from "react";
import type { Notes, NotesVersion } from "../api/types";
import { Button } from "../shell/Button";
import { ErrorCard } from "../shell/ErrorCard";
import { strings } from "../strings";
import { ago, minuteOf } from "./moments";
import { NotesVersionDialog } from "./NotesVersionDialog";
import { useVersions, type useNotesWrites } from "./useNotes";

const words = strings.notes;

interface Props {
  page: Notes;
  isDirty: boolean;
  restore: ReturnType<typeof useNotesWrites>["restore"];
}

/** What the page was, the newest first; each can be looked at and brought back. */
export function NotesVersions({ page, isDirty, restore }: Props) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useVersions(page.agent_name);
  const [looked, setLooked] = useState<NotesVersion | null>(null);
  const versions = data?.pages.flatMap((each) => each.versions) ?? [];
  return (
    <aside className="notes-versions" aria-label={words.versions}>
      <h2>{words.versions}</h2>
      {error && <ErrorCard error={error} onRetry={() => void refetch()} />}
      {data && !versions.length && <p className="soft">{words.noVersions}</p>}
      <ol>
        {versions.map((each) => (
          <li key={each.version}>
            <button type="button" className="version" title={words.look} onClick={() => setLooked(each)}>
              <span>
                <strong>{words.version(each.version)}</strong>
                {each.version === page.version && <span className="chip">{words.current}</span>}
              </span>
              <span className="small soft">
                {each.operation === "found" ? words.found : `${words.actors[each.actor] ?? each.actor} ${words.operations[each.operation] ?? each.operation}`}
              </span>
              {each.untrusted_turn && <span className="small flag">{words.flagged}</span>}
              <time className="small soft" dateTime={each.created_at} title={minuteOf(each.created_at)}>
                {ago(each.created_at)}
              </time>
            </button>
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button size="small" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {words.older}
        </Button>
      )}
      {looked && <NotesVersionDialog version={looked.version} page={page} isDirty={isDirty} restore={restore} onClose={() => setLooked(null)} />}
    </aside>
  );
}
