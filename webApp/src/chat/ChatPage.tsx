import { useTitle } from "../shell/Page";
import { ChatPanel } from "./ChatPanel";

export default function ChatPage() {
  useTitle(null);
  return <ChatPanel />;
}
