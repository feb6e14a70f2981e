import { useMutation, useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { call } from "../api/client";
import { keys } from "../api/query";
import { useAuthStore } from "../auth/useAuthStore";
import { Button } from "../shell/Button";
import { Dialog } from "../shell/Dialog";
import { ErrorCard } from "../shell/ErrorCard";
import { strings } from "../strings";
import { erase, type Erased, type Extent } from "./erase";
import { Part } from "./Part";
import { Receipt } from "./Receipt";

const words = strings.account;

/** The one thing here that cannot be undone: so it wants a word to be typed, and leaves a receipt. */
export function ErasePart() {
  const canEndAccount = useAuthStore((state) => state.signIn?.kind === "supabase");
  const [asked, setAsked] = useState<Extent | null>(null);
  const [receipt, setReceipt] = useState<Erased | null>(null);
  const earlier = useQuery({
    queryKey: [...keys.account, "erasures"],
    queryFn: async ({ signal }) => (await call("get", "/api/account/erasures", { signal })).erasures,
  });
  const others = earlier.data?.filter((each) => each.erased_at !== receipt?.erased_at) ?? [];
  return (
    <Part title={words.eraseTitle} lead={words.eraseLead} isGrave>
      <div className="account-do">
        <Button look="danger" onClick={() => setAsked("data")}>
          {words.erase}
        </Button>
        {canEndAccount && <Button onClick={() => setAsked("account")}>{words.eraseAccount}</Button>}
      </div>
      {receipt && <Receipt receipt={receipt} isOpen />}
      {others.length > 0 && (
        <details>
          <summary>{words.receipts}</summary>
          {others.map((each) => (
            <Receipt key={each.erased_at} receipt={each} />
          ))}
        </details>
      )}
      {asked && (
        <EraseDialog
          extent={asked}
          onClose={() => setAsked(null)}
          onErased={(done) => {
            setAsked(null);
            setReceipt(done);
          }}
        />
      )}
    </Part>
  );
}

function EraseDialog({ extent, onClose, onErased }: { extent: Extent; onClose: () => void; onErased: (receipt: Erased) => void }) {
  const [typed, setTyped] = useState("");
  const run = useMutation({ mutationFn: () => erase(extent), onSuccess: onErased });
  const isSure = typed.trim().toLowerCase() === words.eraseWord;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isSure) run.mutate();
  };
  return (
    <Dialog title={extent === "account" ? words.eraseAccount : words.erase} onClose={onClose}>
      <form className="account-form" onSubmit={submit}>
        <p>{words.eraseLead}</p>
        <label className="field">
          <span>{words.eraseAsk(words.eraseWord)}</span>
          <input className="input" autoFocus autoComplete="off" autoCapitalize="none" value={typed} onChange={(event) => setTyped(event.target.value)} />
        </label>
        {run.error ? <ErrorCard error={run.error} /> : null}
        <div className="dialog-actions">
          <Button onClick={onClose}>{strings.shell.cancel}</Button>
          <Button look="danger" type="submit" busy={run.isPending} disabled={!isSure}>
            {words.eraseFinal}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
