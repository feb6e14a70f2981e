// An account with one long conversation, as POST /api/account/import takes it: nobody has to say it all.
import { randomUUID } from "node:crypto";

const LISTS = ["active_sessions", "turns", "summaries", "notes", "notes_versions", "memories", "memory_changes", "articles", "article_chunks", "usage"];

export function longSession(count) {
  const session_id = randomUUID();
  const at = (i) => new Date(Date.UTC(2026, 9, 1) + i * 60_000).toISOString();
  const messages = Array.from({ length: count }, (_, i) => ({
    message_id: randomUUID(), session_id, turn_id: null, created_at: at(i), tokens: 30, importance: 0.7,
    message: message(i), hidden: false, quote: false, superseded_at: null, superseded_by: null, images: [],
  }));
  return {
    format: "chatserver.account", version: 1, begun_at: at(count), user_id: randomUUID(),
    sessions: [{ session_id, agent_name: "assistant", external_id: null, title: "A long one", memory: "on", created_at: at(0), last_active_at: at(count), archived_at: null }],
    messages,
    ...Object.fromEntries(LISTS.map((name) => [name, []])),
  };
}

function message(i) {
  const type = i % 2 ? "ai" : "human";
  const list = "\n\n- one\n- two with `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nconst x = 1;\n```\n";
  const content = i % 2 ? `Answer ${i}. ${"Some words of an answer. ".repeat(8)}${i % 10 === 1 ? list : ""}` : `Question ${i}?`;
  return { type, data: { content, type } };
}
