import type { ChatMessage } from "../chat/message";

/** Below an answer: which memories it used, and what was learned from this turn. */
export function AnswerMemory({ message }: { message: ChatMessage }) {
  void message;
  return null;
}
