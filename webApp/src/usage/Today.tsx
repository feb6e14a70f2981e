import type { Usage } from "../api/types";
import { strings } from "../strings";
import { number } from "./days";

const words = strings.usage;

/** What is left of today, and the other limits. */
export function Today({ usage }: { usage: Usage }) {
  const { today, limits } = usage;
  const { tokens_per_day } = limits;
  const taken = today.used_tokens + today.reserved_tokens;
  const resets = new Date(today.resets_at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const others = [
    limits.turns_per_minute && words.perMinute(limits.turns_per_minute),
    limits.parallel_turns && words.parallel(limits.parallel_turns),
    limits.revision_tokens_per_day && words.memoryPerDay(number(limits.revision_tokens_per_day)),
  ].filter(Boolean);
  return (
    <section className="card usage-today" aria-labelledby="usage-today">
      <h2 id="usage-today">{words.today}</h2>
      {tokens_per_day === null ? (
        <p>
          <strong>{words.used(number(today.used_tokens))}</strong> <span className="soft">{words.noLimit}</span>
        </p>
      ) : (
        <>
          <p>
            <strong>{words.left(number(today.left_tokens ?? 0), number(tokens_per_day))}</strong>{" "}
            <span className="soft">{words.resets(resets)}</span>
          </p>
          <progress
            className="usage-meter"
            aria-label={words.used(number(today.used_tokens))}
            max={tokens_per_day}
            value={Math.min(taken, tokens_per_day)}
            data-low={taken > 0.9 * tokens_per_day}
          />
          {today.reserved_tokens > 0 && <p className="small soft">{words.reserved(number(today.reserved_tokens))}</p>}
        </>
      )}
      {others.length > 0 && (
        <p className="small soft">
          {words.limits}: {others.join(", ")}.
        </p>
      )}
    </section>
  );
}
