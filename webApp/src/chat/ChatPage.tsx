import { ChatPanel } from "./ChatPanel";

export default function ChatPage() {
  return <ChatPanel />;
}
