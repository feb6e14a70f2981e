import { useEffect, useState } from "react";
import { asApiError } from "../api/errors";
import { strings } from "../strings";
import { Button } from "./Button";

/** What went wrong, in the server's own sentence, and a way to try it again. */
export function ErrorCard({ error, onRetry, busy }: { error: unknown; onRetry?: () => void; busy?: boolean }) {
  const { detail, retryAt } = asApiError(error);
  return (
    <div className="error-card">
      <p role="alert">{detail}</p>
      {onRetry && <RetryButton key={retryAt} retryAt={retryAt} onRetry={onRetry} busy={busy} />}
    </div>
  );
}

/** Counts down where the server has said when it makes sense; outside of the alert, which would be read out each second. */
function RetryButton({ retryAt, onRetry, busy }: { retryAt: number | null; onRetry: () => void; busy?: boolean }) {
  const [seconds, setSeconds] = useState(() => secondsUntil(retryAt));
  const mustWait = seconds > 0;
  useEffect(() => {
    if (!mustWait) return;
    const tick = setInterval(() => setSeconds(secondsUntil(retryAt)), 250);
    return () => clearInterval(tick);
  }, [mustWait, retryAt]);
  return (
    <Button size="small" onClick={onRetry} busy={busy} disabled={mustWait}>
      {mustWait ? strings.shell.retryIn(seconds) : strings.shell.retry}
    </Button>
  );
}

const secondsUntil = (moment: number | null): number => (moment === null ? 0 : Math.max(0, Math.ceil((moment - Date.now()) / 1000)));
