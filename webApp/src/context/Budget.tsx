import type { Preview } from "../api/types";
import { strings } from "../strings";
import { number, percent, promptParts, segmentsOf } from "./parts";

const words = strings.context;

/** How much of the window the prompt takes, and what the prompt is made of. */
export function Budget({ preview }: { preview: Preview }) {
  const { prompt_tokens, window_tokens, model, larger_model } = preview;
  const tokensOf = (name: string) => number(preview.parts.find((part) => part.name === name)?.tokens ?? 0);
  const parts = promptParts(preview);
  const spoken = parts
    .filter(({ tokens }) => tokens > 0)
    .map(({ name, tokens }) => `${words.parts[name]} ${number(tokens)}`)
    .join(", ");
  const window = [{ name: "prompt", tokens: prompt_tokens }, ...preview.parts.filter(({ name }) => name === "reserve" || name === "room")];
  return (
    <section className="context-budget">
      <p>
        <strong>{words.ofWindow(number(prompt_tokens), number(window_tokens), percent(prompt_tokens / Math.max(window_tokens, 1)))}</strong>{" "}
        <span className="soft">
          {words.answers(model)}
          {larger_model && `, ${words.larger}`}
        </span>
      </p>
      <Bar label={words.barOf(spoken)} segments={segmentsOf(parts)} isTall />
      <Bar label={words.windowBar(number(prompt_tokens), tokensOf("reserve"), tokensOf("room"))} segments={segmentsOf(window as never)} />
    </section>
  );
}

function Bar({ label, segments, isTall }: { label: string; segments: ReturnType<typeof segmentsOf>; isTall?: boolean }) {
  return (
    <svg className="context-bar" data-tall={isTall ?? false} viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={label}>
      {segments.map(({ name, x, width }) => (
        <rect key={name} data-part={name} x={x} y="0" width={width} height="10">
          <title>{words.parts[name as keyof typeof words.parts] ?? label}</title>
        </rect>
      ))}
    </svg>
  );
}
