import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { call } from "../api/client";
import { keys } from "../api/query";
import { Button } from "../shell/Button";
import { ErrorCard } from "../shell/ErrorCard";
import { toast } from "../shell/toasts";
import { strings } from "../strings";

const words = strings.account;
const DAYS = [7, 30, 90, 365];
const SCOPES = ["chat", "memory"] as const;

/** Makes a token and shows it this once. */
export function NewToken() {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly (typeof SCOPES)[number][]>(["memory"]);
  const [days, setDays] = useState(90);
  const make = useMutation({
    mutationFn: () => call("post", "/api/account/tokens", { body: { name: name.trim(), scopes: [...scopes], expires_in_days: days } }),
    onSuccess: () => {
      setName("");
      void client.invalidateQueries({ queryKey: [...keys.account, "tokens"] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  const copy = (token: string) =>
    navigator.clipboard.writeText(token).then(
      () => toast(words.tokenCopied),
      () => toast(words.tokenCopyFailed),
    );
  return (
    <>
      <form className="token-form" onSubmit={submit}>
        <label className="field">
          <span>{words.tokenName}</span>
          <input className="input" required maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <fieldset className="field">
          <legend>{words.tokenScopes}</legend>
          {SCOPES.map((each) => (
            <label key={each} className="check">
              <input
                type="checkbox"
                checked={scopes.includes(each)}
                onChange={() => setScopes(scopes.includes(each) ? scopes.filter((one) => one !== each) : [...scopes, each])}
              />
              {words.scopes[each]}
            </label>
          ))}
        </fieldset>
        <label className="field">
          <span>{words.tokenDays}</span>
          <select className="input" value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {DAYS.map((each) => (
              <option key={each} value={each}>
                {words.days(each)}
              </option>
            ))}
          </select>
        </label>
        <Button type="submit" busy={make.isPending} disabled={!name.trim() || !scopes.length}>
          {words.tokenMake}
        </Button>
      </form>
      {make.error ? <ErrorCard error={make.error} /> : null}
      {make.data && (
        <div className="token-shown" role="status">
          <p>{words.tokenOnce}</p>
          <code>{make.data.token}</code>
          <Button size="small" onClick={() => void copy(make.data.token)}>
            {words.tokenCopy}
          </Button>
        </div>
      )}
    </>
  );
}
