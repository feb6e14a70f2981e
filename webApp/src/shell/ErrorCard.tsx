import { asApiError } from "../api/errors";
import { strings } from "../strings";
import { Button } from "./Button";

/** What went wrong, in the server's own sentence, and a way to try it again. */
export function ErrorCard({ error, onRetry, busy }: { error: unknown; onRetry?: () => void; busy?: boolean }) {
  return (
    <div className="error-card" role="alert">
      <p>{asApiError(error).detail}</p>
      {onRetry && (
        <Button size="small" onClick={onRetry} busy={busy}>
          {strings.shell.retry}
        </Button>
      )}
    </div>
  );
}
