import type { Metadata } from "../chat/message";
import { strings } from "../strings";
import { number } from "./parts";

const words = strings.context;

/** What the answer that came last took, and where it was taken from. */
export function LastAnswer({ answer }: { answer: Metadata }) {
  const { model, usage, memories_used, sources } = answer;
  if (!usage) return null;
  return (
    <section>
      <h3 className="context-heading">{words.lastTitle}</h3>
      <p>
        {words.last(model ?? "", number(usage.input_tokens), number(usage.output_tokens))}
        {memories_used && memories_used.length > 0 && ` ${words.lastUsed(memories_used.length)}`}
      </p>
      {sources && sources.length > 0 && (
        <>
          <p>{words.lastSources}</p>
          <ul className="context-sources">
            {sources.map((source, index) => (
              <li key={`${source.article_id}:${index}`}>{words.source(source.title, source.page, number(source.tokens))}</li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
