import { useAuthStore } from "../auth/useAuthStore";
import { addressOfChat } from "../session/address";
import { useChatStore } from "../session/useChatStore";
import { SessionsPanel } from "../sessions/SessionsPanel";
import { strings } from "../strings";
import { Link } from "./Link";
import { pages } from "./pages";
import { ThemeToggle } from "./ThemeToggle";

export function Sidebar({ onChoose }: { onChoose?: () => void }) {
  const user = useAuthStore((state) => state.user);
  const openId = useChatStore((state) => state.sessionId);
  return (
    <aside className="sidebar">
      <Link to={addressOfChat(openId)} className="brand" onClick={onChoose}>
        <img src="/icon.svg" alt="" width="26" height="26" />
        {strings.shell.brand}
      </Link>
      <div className="sidebar-body">
        <SessionsPanel onChoose={onChoose} />
      </div>
      <nav className="nav" aria-label={strings.shell.pages}>
        {pages.slice(1).map(({ path, name, icon: Icon }) => (
          <Link key={path} to={path} className="nav-link" onClick={onChoose}>
            <Icon />
            {name}
          </Link>
        ))}
      </nav>
      <div className="sidebar-foot">
        <span className="one-line">{user?.name}</span>
        <ThemeToggle />
      </div>
    </aside>
  );
}
