import { useQuery } from "@tanstack/react-query";
import { call } from "../api/client";
import { keys } from "../api/query";
import { useUpsertActiveChatSession } from "../session/useChatSessionHooks";
import { useChatStore } from "../session/useChatStore";
import { Button } from "../shell/Button";
import { PlusIcon } from "../shell/icons";
import { navigate } from "../shell/router";
import { strings } from "../strings";
import "./sessions.css";

/** The user's conversations, in the sidebar. */
export function SessionsPanel({ onChoose }: { onChoose?: () => void }) {
  const { sessionId, agentName, openSession } = useChatStore();
  const create = useUpsertActiveChatSession();
  const list = useQuery({
    queryKey: [...keys.sessions, "list"],
    queryFn: ({ signal }) => call("get", "/api/sessions", { query: { limit: 50 }, signal }),
  });
  const chosen = () => {
    navigate("/");
    onChoose?.();
  };
  return (
    <section aria-label={strings.session.list}>
      <Button
        look="plain"
        icon={<PlusIcon />}
        busy={create.isPending}
        onClick={() => create.mutate({ agentName }, { onSuccess: chosen })}
      >
        {strings.session.newChat}
      </Button>
      <ul className="sessions">
        {list.data?.sessions.map((session) => (
          <li key={session.session_id}>
            <button
              type="button"
              className="session"
              aria-current={session.session_id === sessionId ? "true" : undefined}
              onClick={() => {
                openSession(session);
                chosen();
              }}
            >
              {session.title ?? strings.session.untitled}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
