import { useMutation } from "@tanstack/react-query";
import { asApiError } from "../api/errors";
import type { Audit } from "../api/types";
import { Button } from "../shell/Button";
import { EmptyState } from "../shell/EmptyState";
import { ErrorCard } from "../shell/ErrorCard";
import { TrashIcon } from "../shell/icons";
import { plainText } from "../shell/plainText";
import { Waiting } from "../shell/Spinner";
import { toast } from "../shell/toasts";
import { strings } from "../strings";
import { showAgain } from "./changes";
import { ForgottenRows } from "./ForgottenRows";
import { tellError, useForget } from "./MemoryRow";
import { ago } from "./moments";
import { SourceLink } from "./SourceLink";
import { useAudit } from "./useMemories";
import { useSaid } from "./useSaid";

const words = strings.memory;
const LISTS = ["contradicted", "duplicates", "untrusted", "never_recalled"] as const;

/** What deserves a look: each with what can be done about it. */
export function AuditView({ onOpen }: { onOpen: (id: string) => void }) {
  const { data, error, refetch } = useAudit();
  if (error) return <ErrorCard error={error} onRetry={() => void refetch()} />;
  if (!data) return <Waiting />;
  const shown = LISTS.filter((name) => data[name].length > 0);
  if (!shown.length && !data.hidden_messages.length) {
    return (
      <div className="audit">
        <EmptyState title={words.auditClean}>{words.auditCleanLead}</EmptyState>
        <ForgottenRows entries={data.forgotten} />
      </div>
    );
  }
  return (
    <div className="audit">
      <p className="soft">{words.auditLead(data.counts.memories ?? 0)}</p>
      {shown.map((name) => (
        <section key={name}>
          <h2>
            {words.audits[name]} <span className="count">{words.auditShown(data[name].length, data.counts[name] ?? 0)}</span>
          </h2>
          <p className="small soft">{data[name][0]?.suggestion}</p>
          {data[name].map((entry, place) => (
            <Entry key={place} entry={entry} onOpen={onOpen} />
          ))}
        </section>
      ))}
      <ForgottenRows entries={data.forgotten} />
      <Hidden entries={data.hidden_messages} count={data.counts.hidden_messages ?? 0} />
    </div>
  );
}

function Entry({ entry, onOpen }: { entry: Audit["duplicates"][number]; onOpen: (id: string) => void }) {
  const gone = useForget();
  return (
    <ul className="rows">
      {entry.memories.map((each) => (
        <li key={each.id} className="row">
          <div className="row-body">
            <button type="button" className="row-text" onClick={() => onOpen(each.id)}>
              {plainText(each.text)}
            </button>
            <p className="row-meta">
              <span>{words.trusts[each.trust]}</span>
              <span>{ago(each.created_at)}</span>
            </p>
          </div>
          <Button
            look="quiet"
            size="small"
            label={words.forgetOf(plainText(each.text))}
            title={words.forget}
            icon={<TrashIcon size={16} />}
            disabled={gone.isPending}
            onClick={() => gone.mutate(each)}
          />
        </li>
      ))}
    </ul>
  );
}

function Hidden({ entries, count }: { entries: Audit["hidden_messages"]; count: number }) {
  if (!entries.length) return null;
  return (
    <section>
      <h2>
        {words.audits.hidden_messages} <span className="count">{words.auditShown(entries.length, count)}</span>
      </h2>
      <p className="small soft">{entries[0]?.suggestion}</p>
      <ul className="rows">
        {entries.map((each) => (
          <HiddenRow key={each.message_id} entry={each} />
        ))}
      </ul>
    </section>
  );
}

/** What was hidden by itself is shown again here; what was hidden with a memory comes back with that. */
function HiddenRow({ entry }: { entry: Audit["hidden_messages"][number] }) {
  const said = useSaid(entry.session_id, [entry.message_id])[0]?.said;
  const back = useMutation({
    mutationFn: () => showAgain(entry.message_id),
    onSuccess: () => void toast(words.restored),
    onError: (error) => (asApiError(error).status === 404 ? void toast(words.hiddenWithMemory) : tellError(error)),
  });
  return (
    <li className="row">
      <div className="row-body">
        {said?.text && <p className="row-said">{said.text}</p>}
        <p className="row-meta">
          {said && <span>{said.when}</span>}
          <SourceLink sessionId={entry.session_id} messageId={entry.message_id} />
        </p>
      </div>
      <Button size="small" busy={back.isPending} aria-label={said?.text ? words.undoOf(said.text) : undefined} onClick={() => back.mutate()}>
        {strings.shell.undo}
      </Button>
    </li>
  );
}
