import { BookIcon } from "../shell/icons";
import { Link } from "../shell/Link";
import { strings } from "../strings";
import type { ChatMessage } from "./message";

interface Named {
  id: string;
  title: string;
  name: string | null;
  page: number | null;
}

/** The documents that the answer quotes, where that is known; else those that the model was shown for it. */
export function Sources({ message }: { message: ChatMessage }) {
  const sources = sourcesOf(message);
  if (sources.length === 0) return null;
  return (
    <ul className="sources" aria-label={strings.chat.sources}>
      {sources.map(({ id, title, name, page }) => (
        <li key={id}>
          <Link className="source" to={`/knowledge?id=${encodeURIComponent(id)}`}>
            <BookIcon size={14} />
            <span className="source-title">{title}</span>
            {name && name !== title && <span className="soft">{name}</span>}
            {page !== null && <span className="soft">{strings.chat.page(page)}</span>}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The metadata has them with their pages; while the answer streams only the parts do. */
function sourcesOf(message: ChatMessage): Named[] {
  const told = message.metadata?.sources;
  const quoted = told?.filter((each) => each.quoted);
  const used = quoted?.length ? quoted : told;
  if (used) return used.map(({ article_id, title, name, page }) => ({ id: article_id, title, name, page: page ?? null }));
  const found = new Map<string, Named>();
  for (const part of message.parts) {
    if (part.type !== "source-document") continue;
    found.set(part.sourceId, { id: part.sourceId, title: part.title, name: part.filename ?? null, page: null });
  }
  return [...found.values()];
}
