import { useState } from "react";
import type { Memory } from "../api/types";
import { Button } from "../shell/Button";
import { EmptyState } from "../shell/EmptyState";
import { ErrorCard } from "../shell/ErrorCard";
import { Waiting } from "../shell/Spinner";
import { strings } from "../strings";
import { FilterBar } from "./FilterBar";
import { isFiltered, NO_FILTERS, type Filters } from "./filters";
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
          <Rows memories={data.memories} isFiltered={isFiltered(filters)} onOpen={onOpen} onTag={(tag) => filter({ ...filters, tag })} />
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
  isFiltered: boolean;
  onOpen: (id: string) => void;
  onTag: (tag: string) => void;
}

function Rows({ memories, isFiltered, onOpen, onTag }: RowsProps) {
  if (!memories.length) {
    return isFiltered ? <EmptyState title={words.nothingFits} /> : <EmptyState title={words.emptyTitle}>{words.emptyLead}</EmptyState>;
  }
  return (
    <ul className="rows">
      {memories.map((each) => (
        <MemoryRow key={each.id} memory={each} onOpen={() => onOpen(each.id)} onTag={onTag} />
      ))}
    </ul>
  );
}
