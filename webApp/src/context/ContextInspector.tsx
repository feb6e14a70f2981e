/** In the head of the chat: what the next prompt would be made of. */
export function ContextInspector({ sessionId }: { sessionId: string }) {
  void sessionId;
  return null;
}
