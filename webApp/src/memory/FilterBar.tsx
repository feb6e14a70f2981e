import { useEffect, useState } from "react";
import { useAgents } from "../session/useChatSessionHooks";
import { Button } from "../shell/Button";
import { SearchIcon } from "../shell/icons";
import { strings } from "../strings";
import type { Filters } from "./filters";
import { toDateField } from "./moments";
import { anyOf, Select } from "./Select";

const words = strings.memory;
const PAUSE_MS = 250; // of typing
const EVERY_AGENT = "*";

const WHEN = [
  ["now", words.whenNow],
  ["at", words.whenAt],
  ["ever", words.whenEver],
] as const;

export function FilterBar({ filters, onChange }: { filters: Filters; onChange: (filters: Filters) => void }) {
  const agents = useAgents().data ?? [];
  const [isOpen, setOpen] = useState(false); // matters on a phone only, where the fields would fill the screen
  const set = (part: Partial<Filters>) => onChange({ ...filters, ...part });
  const agentNames: [string, string][] = [["", words.any], [EVERY_AGENT, words.everyAgent], ...agents.map(({ name }): [string, string] => [name, name])];
  return (
    <search className="filter-bar" aria-label={words.filters}>
      <SearchField value={filters.q} onChange={(q) => set({ q })} />
      <Button className="button filters-toggle" size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {words.filters}
      </Button>
      <div className="filters" data-open={isOpen}>
        <Select label={words.kind} value={filters.kind} choices={anyOf(words.kinds, words.any)} onChange={(kind) => set({ kind })} />
        <Select label={words.category} value={filters.category} choices={anyOf(words.categories, words.any)} onChange={(category) => set({ category })} />
        <Select label={words.agent} value={filters.agent} choices={agentNames} onChange={(agent) => set({ agent })} />
        <Select label={words.tier} value={filters.tier} choices={anyOf(words.tiers, words.any)} onChange={(tier) => set({ tier })} />
        <Select label={words.trust} value={filters.trust} choices={anyOf(words.trusts, words.any)} onChange={(trust) => set({ trust })} />
        <Select
          label={words.when}
          value={filters.when}
          choices={WHEN}
          onChange={(when) => set({ when: when as Filters["when"], day: filters.day || toDateField(new Date().toISOString()) })}
        />
        {filters.when === "at" && (
          <label className="field">
            <span>{words.day}</span>
            <input className="input" type="date" value={filters.day} onChange={(event) => set({ day: event.target.value })} />
          </label>
        )}
      </div>
    </search>
  );
}

/** Asks once the typing pauses; what is cleared from outside is cleared here. */
function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => {
      setKnown(typed);
      onChange(typed);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]); // eslint-disable-line -- only typing starts the pause
  return (
    <label className="search-field">
      <SearchIcon />
      <span className="hidden-visually">{words.search}</span>
      <input
        className="input"
        type="search"
        maxLength={500}
        placeholder={words.searchHint}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </label>
  );
}
