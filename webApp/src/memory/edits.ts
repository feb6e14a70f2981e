/** A memory as a form holds it, and what of it was changed. */
import type { Memory } from "../api/types";
import type { MemoryEdit } from "./changes";
import { endOfDay, toDateField } from "./moments";

export const MOST_BYTES = 8_192;
const MOST_TAGS = 16;

export interface Fields {
  text: string;
  kind: string;
  category: string;
  tier: string;
  importance: number | null; // percent; null: as the text suggests
  tags: string;
  validTo: string;
  expires: string;
}

export function fieldsOf(memory?: Memory): Fields {
  return {
    text: memory?.text ?? "",
    kind: memory?.kind ?? "",
    category: memory?.category ?? "",
    tier: memory?.tier ?? "",
    importance: memory ? Math.round(memory.importance * 100) : null,
    tags: memory?.tags.join(", ") ?? "",
    validTo: toDateField(memory?.valid_to),
    expires: toDateField(memory?.expires_at),
  };
}

/** What differs from the memory, or of a new one what was given, as the server takes it; dates that were emptied are taken away. */
export function changedBy(fields: Fields, memory?: Memory): MemoryEdit {
  const known = fieldsOf(memory);
  const change: Record<string, unknown> = {};
  const put = (name: keyof Fields, as: string, value: unknown) => {
    if (fields[name] !== known[name]) change[as] = value;
  };
  put("text", "text", fields.text.trim());
  put("kind", "kind", fields.kind);
  put("category", "category", fields.category);
  put("tier", "tier", fields.tier);
  put("importance", "importance", (fields.importance ?? 0) / 100);
  put("tags", "tags", tagsOf(fields.tags));
  put("validTo", "valid_to", endOfDay(fields.validTo));
  put("expires", "expires_at", endOfDay(fields.expires));
  return change as MemoryEdit;
}

export const tagsOf = (typed: string): string[] =>
  [...new Set(typed.split(",").map((each) => each.trim().replace(/^#/, "")))].filter(Boolean).slice(0, MOST_TAGS);

const alike = new Intl.Collator("en", { sensitivity: "base" });

/** Where nobody gives any, rules tag with the category and words of the text, which say nothing new beside it; the dialog has all. */
export function givenTags({ origin, tags, category, text }: Pick<Memory, "origin" | "tags" | "category" | "text">): string[] {
  if (origin === "rules" || origin === "tool") return [];
  if (tags[0] !== category) return tags;
  const said = text.split(/[^\p{L}\p{N}]+/u);
  return tags.slice(1).filter((tag) => said.every((word) => alike.compare(word, tag) !== 0));
}

export const sizeOf = (text: string): number => new TextEncoder().encode(text.trim()).length;
