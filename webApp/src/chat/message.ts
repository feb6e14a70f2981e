/** A message as our server tells it: the AI SDK's UIMessage with our metadata and data parts. */
import type { UIMessage } from "ai";

export interface UsedMemory {
  id: string;
  what: "memory" | "message";
  text?: string;
  role?: string;
  /** A question that the user once asked, or a wish that something be forgotten. */
  asks?: boolean;
  kind?: string;
  category?: string;
  score?: number;
  said_at?: string;
  valid_to?: string;
  corrected_at?: string;
  trust?: string;
  source?: { session_id: string; message_id: string; title?: string | null } | null;
}

interface Source {
  article_id: string;
  title: string;
  name: string;
  media_type: string;
  page?: number | null;
  tokens: number;
  is_whole: boolean;
  quoted?: boolean;
}

export interface Metadata {
  turn_id?: string;
  session_id?: string;
  state?: "running" | "done" | "stopped" | "failed" | "interrupted";
  model?: string;
  usage?: { input_tokens: number; output_tokens: number; total_tokens: number };
  memories_used?: UsedMemory[] | null;
  memory_revision?: Revision;
  sources?: Source[];
  /** Why the answer ended before all of it was said. */
  cut_short?: "length" | "content_filter" | "unknown";
  created_at?: string;
}

export interface Revision {
  status: "starting" | "completed";
  session_id?: string;
  memory_updated?: boolean;
  memory_tools_used?: string[];
}

// A type, not an interface: the AI SDK wants one that can be indexed.
export type DataParts = {
  "memory-revision": Revision;
  notes: { agent_name: string; operation: string; version: number; previous_version: number; untrusted: boolean };
  /** Memories, and messages that recall passes over, where there are any. */
  forgotten: { memory_ids: string[]; message_ids?: string[] };
  recall: { status: "degraded"; reason: string };
  compaction: { reason: string; tokens_before: number; tokens_after: number; messages: number; model: string | null };
};

export type ChatMessage = UIMessage<Metadata, DataParts>;
export type Part = ChatMessage["parts"][number];

/** What was said, without tools and thoughts. */
export const textOf = (message: ChatMessage): string =>
  message.parts
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("\n\n");

export const hasText = (message: ChatMessage): boolean =>
  message.parts.some((part) => part.type === "text" && part.text.trim() !== "");

/** Whether the end of an answer was never heard, which says how it ended; what is read of the server was said at some time. */
export const isCutOff = ({ metadata }: ChatMessage): boolean =>
  metadata?.turn_id !== undefined && metadata.state === undefined && metadata.created_at === undefined;
