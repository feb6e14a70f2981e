import { useEffect, useState } from "react";
import { asApiError, NOT_RENEWED } from "../api/errors";
import { useAuthStore } from "../auth/useAuthStore";
import { strings } from "../strings";
import { Button } from "./Button";

/** What went wrong, in the server's own sentence, and a way to try it again. */
export function ErrorCard({ error, onRetry, busy }: { error: unknown; onRetry?: () => void; busy?: boolean }) {
  const { code, detail, retryAt } = asApiError(error);
  const signInAgain = useAuthStore((state) => state.signInAgain);
  return (
    <div className="error-card">
      <p role="alert">{detail}</p>
      {onRetry && <RetryButton key={retryAt} retryAt={retryAt} onRetry={onRetry} busy={busy} />}
      {code === NOT_RENEWED && (
        <Button size="small" onClick={signInAgain}>
          {strings.auth.signInAgain}
        </Button>
      )}
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
