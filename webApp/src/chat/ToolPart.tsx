import type { DynamicToolUIPart } from "ai";
import { ToolIcon } from "../shell/icons";
import { Spinner } from "../shell/Spinner";
import { strings } from "../strings";
import { askedOf, foundBy, toolName } from "./tools";

const words = strings.chat.tool;

/** What the agent did beside talking, folded. */
export function ToolPart({ part }: { part: DynamicToolUIPart }) {
  const isRunning = part.state === "input-streaming" || part.state === "input-available";
  const isFailed = part.state === "output-error";
  const asked = askedOf(part.toolName, part.input);
  const found = part.state === "output-available" ? foundBy(part.toolName, part.output) : null;
  return (
    <details className="folded tool" data-failed={isFailed}>
      <summary>
        {isRunning ? <Spinner /> : <ToolIcon size={16} />}
        <span className="tool-name">{toolName(part.toolName, part.output, part.input)}</span>
        {asked && <span className="tool-asked one-line soft">{words.quoted(asked)}</span>}
        {isRunning && <span className="soft">{words.running}</span>}
        {isFailed && <span className="tool-failed">{words.failed}</span>}
      </summary>
      {asked && <Line name={words.input}>{asked}</Line>}
      {found && found.length > 0 && (
        <div className="tool-value">
          <span className="small soft">{words.found}</span>
          <ul className="tool-found">
            {found.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </div>
      )}
      {found?.length === 0 && <Line name={words.output}>{words.nothing}</Line>}
      {part.state === "output-error" && <Line name={words.output}>{part.errorText}</Line>}
      <details className="tool-details">
        <summary className="small soft">{words.details}</summary>
        {part.input !== undefined && <Value name={words.input} value={part.input} />}
        {part.state === "output-available" && <Value name={words.output} value={part.output} />}
      </details>
    </details>
  );
}

function Line({ name, children }: { name: string; children: string }) {
  return (
    <div className="tool-value">
      <span className="small soft">{name}</span>
      <p className="plain-text">{children}</p>
    </div>
  );
}

function Value({ name, value }: { name: string; value: unknown }) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return (
    <div className="tool-value">
      <span className="small soft">{name}</span>
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}
