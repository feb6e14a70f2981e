import { lazy, Suspense } from "react";
import { strings } from "../strings";
import type { ChatMessage, Part } from "./message";
import { Pictures } from "./Pictures";
import { ToolPart } from "./ToolPart";

const Markdown = lazy(() => import("./Markdown"));

/** The pieces of an answer in the order in which they came. */
export function Parts({ message, isStreaming }: { message: ChatMessage; isStreaming: boolean }) {
  return message.parts.map((part, place) => (
    <PartView key={place} part={part} isStreaming={isStreaming && place === message.parts.length - 1} />
  ));
}

function PartView({ part, isStreaming }: { part: Part; isStreaming: boolean }) {
  switch (part.type) {
    case "text":
      return (
        <Suspense fallback={<p className="plain-text">{part.text}</p>}>
          <Markdown text={part.text} isStreaming={isStreaming} />
        </Suspense>
      );
    case "reasoning":
      return part.text.trim() ? <Reasoning text={part.text} isOpen={isStreaming} /> : null;
    case "dynamic-tool":
      return <ToolPart part={part} />;
    case "file":
      return <Pictures files={[part]} />;
    case "data-compaction":
      return <p className="small soft">{strings.chat.compaction(part.data.messages)}</p>;
    case "data-recall":
      return <p className="small soft">{strings.chat.notAllLookedUp}</p>;
    default:
      return null; // steps, sources and memory are drawn elsewhere
  }
}

function Reasoning({ text, isOpen }: { text: string; isOpen: boolean }) {
  return (
    <details className="folded" open={isOpen}>
      <summary>{strings.chat.reasoning}</summary>
      <p className="plain-text soft">{text}</p>
    </details>
  );
}
