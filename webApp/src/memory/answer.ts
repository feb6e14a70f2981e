/** What an answer tells about memory: what it used, and whether something may be learned from it. */
import type { Memory } from "../api/types";
import type { ChatMessage, DataParts, Revision, UsedMemory } from "../chat/message";

/** What the model was given: what tells something, and what the user himself once asked. */
export function usedBy(message: ChatMessage): Used {
  const used = message.metadata?.memories_used ?? [];
  return { told: used.filter((each) => !each.asks), asked: used.filter((each) => each.asks) };
}

export interface Used {
  told: UsedMemory[];
  asked: UsedMemory[];
}

/** What came of making memory of the turn: as stored with the reply, else as the stream has told it. */
export function revisionOf(message: ChatMessage): Revision | null {
  const told = message.parts.findLast((part) => part.type === "data-memory-revision");
  return message.metadata?.memory_revision ?? told?.data ?? null;
}

/** Whether it is worth asking what was learned. */
export function mayHaveLearned(revision: Revision | null): boolean {
  return revision !== null && (revision.status === "starting" || revision.memory_updated === true);
}

/** Of a session's memories those learned after one turn, in the order in which they were. */
export const learnedAfter = (memories: readonly Memory[], turnId: string | undefined): Memory[] =>
  turnId === undefined
    ? []
    : memories.filter((each) => each.source.turn_id === turnId).sort((a, b) => a.created_at.localeCompare(b.created_at));

export interface Done {
  notes: DataParts["notes"][];
  /** Memories. */
  forgotten: string[];
  /** Messages that recall shows no longer. */
  passedOver: string[];
}

/** What the agent itself has done to notes, memories and what is found of messages in this turn. */
export function doneBy(message: ChatMessage): Done {
  const changes = message.parts.flatMap((part) => (part.type === "data-notes" ? [part.data] : []));
  const notes = changes.sort((a, b) => a.version - b.version).reduce(together, []); // calls of one step run at once
  const gone = message.parts.flatMap((part) => (part.type === "data-forgotten" ? [part.data] : []));
  return { notes, forgotten: gone.flatMap((each) => each.memory_ids), passedOver: gone.flatMap((each) => each.message_ids ?? []) };
}

/** One change after the other is one, with one way back; unless somebody else has changed the page between them. */
function together(before: DataParts["notes"][], next: DataParts["notes"]): DataParts["notes"][] {
  const last = before.at(-1);
  if (last?.agent_name !== next.agent_name || last.version !== next.previous_version) return [...before, next];
  const { previous_version } = last;
  return [...before.slice(0, -1), { ...next, previous_version, untrusted: last.untrusted || next.untrusted }];
}
