import { useState } from "react";
import type { Preview } from "../api/types";
import { draftKey } from "../chat/useDraft";
import { kept } from "../session/hints";
import { Button } from "../shell/Button";
import { Dialog } from "../shell/Dialog";
import { ErrorCard } from "../shell/ErrorCard";
import { Waiting } from "../shell/Spinner";
import { strings } from "../strings";
import { Budget } from "./Budget";
import { LastAnswer } from "./LastAnswer";
import { PartList } from "./PartList";
import { nowOf, triggerText } from "./parts";
import { useLastTurn, usePreview } from "./usePreview";
import "./context.css";

const words = strings.context;

export default function ContextPanel({ sessionId, onClose }: { sessionId: string; onClose: () => void }) {
  const last = useLastTurn(sessionId);
  const [asked, setAsked] = useState<string | null>(null);
  // What is being written, else what was asked last: people wonder about one of the two.
  const first = kept(draftKey(sessionId))?.trim() || (last.isFetched ? (last.data?.question ?? words.example) : null);
  const preview = usePreview(sessionId, asked ?? first);
  return (
    <Dialog title={words.title} onClose={onClose} wide>
      <div className="context">
        {first !== null && <Ask first={first} busy={preview.isFetching} onAsk={setAsked} />}
        {preview.isPending && <Waiting />}
        {preview.isError && <ErrorCard error={preview.error} onRetry={() => void preview.refetch()} busy={preview.isFetching} />}
        {preview.data && <Shown preview={preview.data} />}
        {last.data?.answer && <LastAnswer answer={last.data.answer} />}
      </div>
    </Dialog>
  );
}

function Ask({ first, busy, onAsk }: { first: string; busy: boolean; onAsk: (message: string) => void }) {
  const [message, setMessage] = useState(first);
  return (
    <form
      className="context-ask"
      onSubmit={(event) => {
        event.preventDefault();
        if (message.trim()) onAsk(message.trim());
      }}
    >
      <label className="field">
        <span>{words.lead}</span>
        <input className="input" aria-label={words.message} value={message} required onChange={(event) => setMessage(event.target.value)} />
      </label>
      <Button type="submit" busy={busy}>
        {words.show}
      </Button>
    </form>
  );
}

function Shown({ preview }: { preview: Preview }) {
  return (
    <>
      {!preview.fits && (
        <p className="context-warning" role="alert">
          {words.tooLarge}
        </p>
      )}
      <Budget preview={preview} />
      <PartList preview={preview} />
      <section>
        <h3 className="context-heading">{words.triggersTitle}</h3>
        <ul className="context-triggers">
          {preview.triggers.map((trigger) => (
            <li key={trigger.name} data-fires={trigger.would_fire}>
              <span>{triggerText(trigger)}</span>
              <span className="small soft">
                {trigger.would_fire && <strong>{words.fires}</strong>}
                {nowOf(trigger)}
              </span>
              <progress aria-hidden="true" max={Math.max(trigger.at, 1)} value={Math.min(trigger.now, Math.max(trigger.at, 1))} />
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
