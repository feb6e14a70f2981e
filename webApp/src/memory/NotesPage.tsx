import { useAuthStore } from "../auth/useAuthStore";
import { useAgents } from "../session/useChatSessionHooks";
import { useChatStore } from "../session/useChatStore";
import { ErrorCard } from "../shell/ErrorCard";
import { Page } from "../shell/Page";
import { navigate, useSearchParam } from "../shell/router";
import { Waiting } from "../shell/Spinner";
import { strings } from "../strings";
import "./memory.css";
import "./notes.css";
import { NotesEditor } from "./NotesEditor";
import { Select } from "./Select";
import { useNotes } from "./useNotes";

const words = strings.notes;

/** `?agent=` says whose notes; else those of the agent one talks with. */
export default function NotesPage() {
  const agents = useAgents();
  const wished = useSearchParam("agent");
  const talking = useChatStore((state) => state.agentName);
  const known = agents.data ?? [];
  const named = (name: string | null) => known.find((each) => each.name === name)?.name;
  const agent = named(wished) ?? named(talking) ?? known.find((each) => each.default)?.name ?? known[0]?.name;
  const picker = known.length > 1 && agent && (
    <Select
      label={words.agent}
      value={agent}
      choices={known.map(({ name }) => [name, name] as const)}
      onChange={(name) => navigate(`/notes?agent=${encodeURIComponent(name)}`)}
    />
  );
  return (
    <Page title={strings.nav.notes} lead={words.lead} actions={picker}>
      {agents.error ? (
        <ErrorCard error={agents.error} onRetry={() => void agents.refetch()} />
      ) : agent ? (
        <AgentNotes key={agent} agent={agent} />
      ) : (
        <Waiting />
      )}
    </Page>
  );
}

function AgentNotes({ agent }: { agent: string }) {
  const userId = useAuthStore((state) => state.user?.id ?? "");
  const { data, error, refetch } = useNotes(agent);
  if (data) return <NotesEditor userId={userId} page={data} />;
  return error ? <ErrorCard error={error} onRetry={() => void refetch()} /> : <Waiting />;
}
