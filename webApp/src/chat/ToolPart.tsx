import type { DynamicToolUIPart } from "ai";
import { ToolIcon } from "../shell/icons";
import { Spinner } from "../shell/Spinner";
import { strings } from "../strings";

/** What the agent did beside talking, folded. */
export function ToolPart({ part }: { part: DynamicToolUIPart }) {
  const isRunning = part.state === "input-streaming" || part.state === "input-available";
  const isFailed = part.state === "output-error";
  return (
    <details className="folded tool" data-failed={isFailed}>
      <summary>
        {isRunning ? <Spinner /> : <ToolIcon size={16} />}
        <span>{strings.chat.tool.names[part.toolName] ?? part.toolName}</span>
        {isRunning && <span className="soft">{strings.chat.tool.running}</span>}
        {isFailed && <span className="tool-failed">{strings.chat.tool.failed}</span>}
      </summary>
      {part.input !== undefined && <Value name={strings.chat.tool.input} value={part.input} />}
      {part.state === "output-available" && <Value name={strings.chat.tool.output} value={part.output} />}
      {part.state === "output-error" && <Value name={strings.chat.tool.output} value={part.errorText} />}
    </details>
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
