import type { Preview } from "../api/types";
import { strings } from "../strings";
import { linesOf, number, percent, promptParts, type Line, type Part } from "./parts";
import "./parts.css";

const words = strings.context;

/** Every part with its share and its reason; what the model reads of it is folded away. */
export function PartList({ preview }: { preview: Preview }) {
  return (
    <ul className="context-parts">
      {promptParts(preview).map((part) => (
        <li key={part.name}>
          <PartEntry part={part} whole={preview.prompt_tokens} />
        </li>
      ))}
    </ul>
  );
}

function PartEntry({ part, whole }: { part: Part; whole: number }) {
  const head = (
    <>
      <span className="context-swatch" data-part={part.name} data-out={part.tokens === 0} />
      <span className="context-name">
        {words.parts[part.name]}
        {part.state !== "in" && <span className="context-state">{words.state[part.state]}</span>}
      </span>
      <span className="context-count">{part.tokens > 0 && `${number(part.tokens)} · ${percent(part.tokens / Math.max(whole, 1))}`}</span>
      <span className="context-reason">{part.reason}</span>
    </>
  );
  const hasMore = part.tokens > 0 && (part.text || part.messages?.length || part.lines?.length);
  if (!hasMore) return <div className="context-part">{head}</div>;
  return (
    <details>
      <summary className="context-part">{head}</summary>
      {/* It scrolls, so the keyboard has to get there. */}
      <div className="context-inside" tabIndex={0} role="group" aria-label={words.parts[part.name]}>
        {insideOf(part)}
      </div>
    </details>
  );
}

function insideOf(part: Part) {
  const lines = linesOf(part);
  if (lines.length) return <Lines lines={lines} />;
  if (part.messages?.length) return <Messages messages={part.messages} />;
  return <p className="context-text">{part.text}</p>;
}

function Lines({ lines }: { lines: Line[] }) {
  return (
    <ul className="context-list">
      {lines.map((line) => (
        <li key={line.id}>
          <p>{line.text}</p>
          <p className="small soft">
            {[
              line.isMemory ? words.memory : words.said,
              line.saidAt && new Date(line.saidAt).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" }),
              line.title && words.from(line.title),
              line.reasons.length > 0 && words.because(line.reasons.join(", ")),
              words.tokens(number(line.tokens)),
            ]
              .filter(Boolean)
              .join(" · ")}
          </p>
        </li>
      ))}
    </ul>
  );
}

function Messages({ messages }: { messages: NonNullable<Part["messages"]> }) {
  return (
    <ul className="context-list">
      {messages.map((message) => (
        <li key={message.id}>
          <p className="context-text">{message.text}</p>
          <p className="small soft">
            {[
              words.roles[message.role] ?? message.role,
              message.tool_calls?.length && words.calls(message.tool_calls.map(({ name }) => name).join(", ")),
              message.images && words.pictures(message.images),
              message.is_cut && words.cut,
              words.tokens(number(message.tokens)),
            ]
              .filter(Boolean)
              .join(" · ")}
          </p>
        </li>
      ))}
    </ul>
  );
}
