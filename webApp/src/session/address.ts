/** `/?chat=ID` is the address of the open chat: a reload shows it again, Back leads to the one before, tabs differ. */
import { navigate } from "../shell/router";

/** `messageId`: where in it to begin to read. */
export function addressOfChat(sessionId: string | null, messageId?: string | null): string {
  if (!sessionId) return "/";
  const chat = `/?chat=${encodeURIComponent(sessionId)}`;
  return messageId ? `${chat}&message=${encodeURIComponent(messageId)}` : chat;
}

const isChatPage = (): boolean => location.pathname === "/";

/** Which chat the address names; null: none, and the server knows which to go on with. */
export const namedChat = (): string | null => (isChatPage() && new URLSearchParams(location.search).get("chat")) || null;

/** The address follows the chat that is open. Another page stays as it is. */
export function nameChat(sessionId: string, options: { replace?: boolean } = {}): void {
  const named = namedChat();
  if (!isChatPage() || named === sessionId) return;
  if (named !== null) return navigate(addressOfChat(sessionId), options);
  const rest = new URLSearchParams(location.search); // `message=ID`
  rest.set("chat", sessionId);
  navigate(`/?${rest.toString()}`, { replace: true });
}

/** The chat is gone, or was never ours: nothing leads there any more. */
export function unnameChat(): void {
  if (namedChat() !== null) navigate("/", { replace: true });
}
