/** What this browser remembers of the last conversation: a hint, which the server resolves. */
export const sessionKey = (userId: string, agentName: string) => `chatSession_${userId}_${agentName}`;
export const agentKey = (userId: string) => `chatAgent_${userId}`;

/** Storage may be full or forbidden; then nothing is remembered, and all else works. */
export function keep(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // as said
  }
}

export function kept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
