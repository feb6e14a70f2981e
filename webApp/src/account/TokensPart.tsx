import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client";
import { keys } from "../api/query";
import type { components } from "../api/schema";
import { ago, dayOf } from "../memory/moments";
import { Button } from "../shell/Button";
import { Dialog } from "../shell/Dialog";
import { ErrorCard } from "../shell/ErrorCard";
import { Waiting } from "../shell/Spinner";
import { toast } from "../shell/toasts";
import { strings } from "../strings";
import { NewToken } from "./NewToken";
import { Part } from "./Part";

const words = strings.account;
const KEY = [...keys.account, "tokens"];

type Token = components["schemas"]["TokenAnswer"];

export function TokensPart() {
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => (await call("get", "/api/account/tokens", { signal })).tokens,
  });
  const [ending, setEnding] = useState<Token | null>(null);
  return (
    <Part title={words.tokensTitle} lead={words.tokensLead}>
      {error ? (
        <ErrorCard error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Waiting />
      ) : data.length === 0 ? (
        <p className="soft">{words.tokensNone}</p>
      ) : (
        <ul className="tokens">
          {data.map((each) => (
            <TokenLine key={each.id} token={each} onEnd={() => setEnding(each)} />
          ))}
        </ul>
      )}
      <NewToken />
      {ending && <EndDialog token={ending} onClose={() => setEnding(null)} />}
    </Part>
  );
}

function TokenLine({ token, onEnd }: { token: Token; onEnd: () => void }) {
  const isOver = Date.parse(token.expires_at) <= Date.now();
  return (
    <li data-over={isOver}>
      <div>
        <strong>{token.name}</strong>
        <p className="small soft">
          {token.scopes.map((each) => words.scopes[each] ?? each).join("; ")}
          {" · "}
          {isOver ? words.tokenEnded(dayOf(token.expires_at)) : words.tokenEnds(dayOf(token.expires_at))}
          {" · "}
          {token.last_used_at ? words.tokenUsed(ago(token.last_used_at)) : words.tokenUnused}
        </p>
      </div>
      <Button size="small" aria-label={words.tokenEndOf(token.name)} onClick={onEnd}>
        {words.tokenEnd}
      </Button>
    </li>
  );
}

function EndDialog({ token, onClose }: { token: Token; onClose: () => void }) {
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: () => call("delete", "/api/account/tokens/{token_id}", { path: { token_id: token.id } }),
    onSuccess: () => {
      toast(words.tokenGone);
      void client.invalidateQueries({ queryKey: KEY });
      onClose();
    },
  });
  const actions = (
    <>
      <Button onClick={onClose}>{strings.shell.cancel}</Button>
      <Button look="danger" busy={end.isPending} onClick={() => end.mutate()}>
        {words.tokenEnd}
      </Button>
    </>
  );
  return (
    <Dialog title={words.tokenEndOf(token.name)} onClose={onClose} actions={actions}>
      <p>{words.tokenEndAsk(token.name)}</p>
      {end.error ? <ErrorCard error={end.error} /> : null}
    </Dialog>
  );
}
