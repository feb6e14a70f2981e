import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client";
import { keys } from "../api/query";
import type { Usage } from "../api/types";
import { EmptyState } from "../shell/EmptyState";
import { ErrorCard } from "../shell/ErrorCard";
import { Page } from "../shell/Page";
import { Waiting } from "../shell/Spinner";
import { Views } from "../shell/Views";
import { strings } from "../strings";
import { chartOf, since, type Split } from "./days";
import { Today } from "./Today";
import { UsageChart } from "./UsageChart";
import { DaysTable, SumsTable } from "./UsageTables";
import "./usage.css";

const words = strings.usage;
const RANGES = [7, 30, 90].map((days) => [String(days), words.days(days)] as const);
const SPLITS: [Split, string][] = [
  ["kind", words.byKind],
  ["agent", words.byAgent],
  ["model", words.byModel],
];

/** Tokens per day, by agent and model, and what is left of today. */
export default function UsagePage() {
  const [days, setDays] = useState(30);
  const usage = useQuery({
    queryKey: [...keys.usage, days],
    queryFn: ({ signal }) => call("get", "/api/usage", { query: { since: since(days) }, signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={strings.nav.usage} lead={words.lead} actions={<Views label={words.range} views={RANGES} shown={String(days)} onChoose={(each) => setDays(Number(each))} />}>
      {usage.isPending && <Waiting />}
      {usage.isError && <ErrorCard error={usage.error} onRetry={() => void usage.refetch()} busy={usage.isFetching} />}
      {usage.data && <Told usage={usage.data} />}
    </Page>
  );
}

function Told({ usage }: { usage: Usage }) {
  const [split, setSplit] = useState<Split>("kind");
  return (
    <>
      <Today usage={usage} />
      {usage.rows.length === 0 ? (
        <EmptyState title={words.emptyTitle}>{words.empty}</EmptyState>
      ) : (
        <>
          <section className="card">
            <Views label={words.by} views={SPLITS} shown={split} onChoose={setSplit} />
            <UsageChart chart={chartOf(usage, split)} total={usage.totals.total_tokens} />
            <DaysTable usage={usage} />
          </section>
          <section className="card">
            <SumsTable usage={usage} />
          </section>
        </>
      )}
    </>
  );
}
