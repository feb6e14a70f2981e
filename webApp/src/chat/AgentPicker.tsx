import { useAuthStore } from "../auth/useAuthStore";
import { useAgents } from "../session/useChatSessionHooks";
import { useChatStore } from "../session/useChatStore";
import { strings } from "../strings";

/** Another agent is another conversation: the one that was last open with it. */
export function AgentPicker({ agentName }: { agentName: string }) {
  const userId = useAuthStore((state) => state.user?.id);
  const initializeSessionAsync = useChatStore((state) => state.initializeSessionAsync);
  const agents = useAgents().data ?? [];
  if (agents.length < 2 || !userId) return null;
  return (
    <select
      className="input agent-picker"
      aria-label={strings.chat.agent}
      value={agentName}
      title={agents.find((each) => each.name === agentName)?.description}
      onChange={(event) => void initializeSessionAsync(userId, event.target.value)}
    >
      {agents.map((agent) => (
        <option key={agent.name} value={agent.name}>
          {agent.name}
        </option>
      ))}
    </select>
  );
}
