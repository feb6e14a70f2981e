import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { authorizedFetch } from "../api/client";
import { ApiError } from "../api/errors";
import { queryClient } from "../api/query";
import type { components } from "../api/schema";
import { Button } from "../shell/Button";
import { ErrorCard } from "../shell/ErrorCard";
import { strings } from "../strings";
import { CountTable } from "./CountTable";
import { Part } from "./Part";

const words = strings.account;
const MOST_BYTES = 50_000_000;

type Imported = components["schemas"]["ImportAnswer"];

export function ImportPart() {
  const field = useRef<HTMLInputElement>(null);
  const run = useMutation({ mutationFn: bringIn, onSuccess: () => void queryClient.invalidateQueries() });
  const isNothing = run.data && Object.values(run.data.added).every((each) => each === 0);
  return (
    <Part title={words.importTitle} lead={words.importLead}>
      <input
        ref={field}
        type="file"
        accept="application/json,.json"
        hidden
        aria-label={words.import}
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = ""; // the same file may be chosen again
          if (file) run.mutate(file);
        }}
      />
      {run.error ? <ErrorCard error={run.error} /> : null}
      <div className="account-do">
        <Button busy={run.isPending} onClick={() => field.current?.click()}>
          {words.import}
        </Button>
        <span className="small soft" role="status">
          {run.isPending && words.importing}
          {run.data && (isNothing ? words.importNothing : words.importDone)}
        </span>
      </div>
      {run.data && !isNothing && (
        <CountTable
          columns={[
            [words.addedOf, run.data.added],
            [words.keptOf, run.data.kept],
          ]}
        />
      )}
    </Part>
  );
}

/** Sent as it is: the server looks at all of it before it takes anything. */
async function bringIn(file: File): Promise<Imported> {
  if (file.size > MOST_BYTES) throw new ApiError(413, "body_too_large", words.importTooLarge);
  const answer = await authorizedFetch("/api/account/import", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: file,
  });
  return (await answer.json()) as Imported;
}
