/** What a tool was asked and what it found, in words; what it really sent and got is for who wants to see it. */
import { strings } from "../strings";

const words = strings.chat.tool;
const ASKED: Record<string, string> = { manage_long_term_memory: "content", forget_memories: "what" };
const FORGOTTEN = "Forgotten:"; // as the tool begins where something is
const LONGEST = 200;

/** `search_the_web` is read as "Search the web"; what a tool was there for is only said to be done when it is. */
export function toolName(name: string, output?: unknown, input?: unknown): string {
  if (name === "forget_memories" && !(typeof output === "string" && output.startsWith(FORGOTTEN))) return words.soughtToForget;
  const done = output === undefined ? undefined : (input as { operation?: string } | null | undefined)?.operation;
  if (name === "manage_long_term_memory" && done && Object.hasOwn(words.notes, done)) return words.notes[done]!;
  if (Object.hasOwn(words.names, name)) return words.names[name]!;
  const spaced = name.replaceAll(/[_-]+/g, " ").trim();
  return spaced ? spaced[0]!.toUpperCase() + spaced.slice(1) : name;
}

/** What it was asked for; null where that is no plain text. */
export function askedOf(name: string, input: unknown): string | null {
  if (typeof input !== "object" || input === null) return null;
  const asked = (input as Record<string, unknown>)[ASKED[name] ?? "query"];
  if (typeof asked !== "string" || !asked.trim()) return null;
  const line = asked.trim().replaceAll(/\s+/g, " ");
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/** The documents that were found, by title, as `<sources>` lists them; null: this tool does not look into any. */
export function foundBy(name: string, output: unknown): string[] | null {
  if (name !== "retrieve_context" || typeof output !== "string") return null;
  const listed = /<sources>\n([\s\S]*)\n<\/sources>/.exec(output)?.[1] ?? "";
  return [...new Set(listed.split("\n").map((line) => line.replace(/^- /, "")))].filter((line) => line !== "");
}
