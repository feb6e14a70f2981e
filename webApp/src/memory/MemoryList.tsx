import { useEffect, useRef, useState } from "react";
import type { Memory } from "../api/types";
import { Button } from "../shell/Button";
import { EmptyState } from "../shell/EmptyState";
import { ErrorCard } from "../shell/ErrorCard";
import { Waiting } from "../shell/Spinner";
import { isFocusLost } from "../shell/useFocusFollows";
import { strings } from "../strings";
import { FilterBar } from "./FilterBar";
import { isByWordsAlone, isFiltered, NO_FILTERS, type Filters } from "./filters";
import { MemoryRow } from "./MemoryRow";
import { useMemories } from "./useMemories";

const words = strings.memory;

/** What is remembered, a page at a time. */
export function MemoryList({ onOpen }: { onOpen: (id: string) => void }) {
  const [filters, setFilters] = useState<Filters>(NO_FILTERS);
  const [pages, setPages] = useState<(number | null)[]>([null]); // where each page begins; the last is shown
  const { data, error, isPlaceholderData, refetch } = useMemories(filters, pages.at(-1) ?? null);
  const filter = (next: Filters) => {
    setFilters(next);
    setPages([null]);
  };
  const canLook = isFiltered(filters) || (data !== undefined && data.memories.length > 0);
  return (
    <>
      {canLook && <FilterBar filters={filters} onChange={filter} />}
      {error ? (
        <ErrorCard error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Waiting />
      ) : (
        <div className="memory-page" aria-busy={isPlaceholderData}>
          <div className="filter-state">
            <p className="small soft" role="status">
              {filters.q.trim() && words.found(data.memories.length)}
            </p>
            {filters.tag && <span className="chip">#{filters.tag}</span>}
            {(filters.tag || isFiltered(filters)) && (
              <Button look="quiet" size="small" onClick={() => filter(NO_FILTERS)}>
                {words.clear}
              </Button>
            )}
          </div>
          <Rows memories={data.memories} filters={filters} onOpen={onOpen} onTag={(tag) => filter({ ...filters, tag })} />
          {(pages.length > 1 || data.before !== null) && (
            <nav className="pager" aria-label={words.list}>
              <Button disabled={pages.length === 1} onClick={() => setPages(pages.slice(0, -1))}>
                {words.newer}
              </Button>
              <span className="soft">{words.page(pages.length)}</span>
              <Button disabled={data.before === null || isPlaceholderData} onClick={() => setPages([...pages, data.before])}>
                {words.older}
              </Button>
            </nav>
          )}
        </div>
      )}
    </>
  );
}

interface RowsProps {
  memories: Memory[];
  filters: Filters;
  onOpen: (id: string) => void;
  onTag: (tag: string) => void;
}

function Rows({ memories, filters, onOpen, onTag }: RowsProps) {
  const { list, act } = useFocusStays(memories);
  if (!memories.length) {
    if (isByWordsAlone(filters)) return <EmptyState title={words.nothingFound}>{words.nothingFoundLead}</EmptyState>;
    return isFiltered(filters) ? <EmptyState title={words.nothingFits} /> : <EmptyState title={words.emptyTitle}>{words.emptyLead}</EmptyState>;
  }
  return (
    <ul className="rows" ref={list} onClickCapture={act}>
      {memories.map((each) => (
        <MemoryRow key={each.id} memory={each} onOpen={() => onOpen(each.id)} onTag={onTag} />
      ))}
    </ul>
  );
}

/** Who forgets one by keyboard is at the one that takes its place, or on the page when none is left. */
function useFocusStays(memories: Memory[]) {
  const list = useRef<HTMLUListElement>(null);
  const acted = useRef<{ id: string | undefined; place: number } | null>(null);
  const act = ({ target }: { target: EventTarget }) => {
    const place = [...(list.current?.children ?? [])].findIndex((row) => row.contains(target as Node));
    acted.current = { id: memories[place]?.id, place };
  };
  useEffect(() => {
    if (!acted.current || memories.some(({ id }) => id === acted.current?.id)) return;
    const rows = list.current?.querySelectorAll<HTMLElement>(".row-text") ?? [];
    const row = rows[Math.min(acted.current.place, rows.length - 1)] ?? document.getElementById("main");
    acted.current = null;
    if (isFocusLost()) row?.focus({ preventScroll: true });
  }, [memories]);
  return { list, act };
}
