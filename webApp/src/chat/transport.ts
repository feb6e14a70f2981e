/** How useChat talks to our server: the last message only, an own session per chat, and streams that outlive a break. */
import { DefaultChatTransport } from "ai";
import { authorizedFetch } from "../api/client";
import type { ChatMessage } from "./message";
import { steady } from "./steadyStream";

const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 8_000;

const streamAddress = (sessionId: string) => `/api/chat/${encodeURIComponent(sessionId)}/stream`;

interface Asked {
  id: string;
  messages: ChatMessage[];
  trigger: "submit-message" | "regenerate-message";
  messageId?: string;
}

/** The body of a request. The server's history is the truth, and the id of a message is what makes it safe to repeat. */
export function bodyOf({ id, messages, trigger, messageId }: Asked, agentName: string): object {
  const known = { id, agent_name: agentName, trigger };
  if (trigger === "regenerate-message") return { ...known, messageId };
  const message = messages.findLast((each) => each.role === "user");
  const sent = message && { id: message.id, role: message.role, parts: message.parts };
  return { ...known, message: sent, messageId }; // with a messageId it is an edit
}

/** `onTaken`: the server has begun what was asked, whatever becomes of it. */
export function transportFor(sessionId: string, agentName: string, onTaken: () => void): DefaultChatTransport<ChatMessage> {
  return new DefaultChatTransport<ChatMessage>({
    api: "/api/chat",
    fetch: async (url, init = {}) => {
      const response = await authorizedFetch(url, init);
      if (init.method === "POST") onTaken();
      return steadied(sessionId, response, init.signal);
    },
    prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
      body: bodyOf({ id, messages, trigger, messageId }, agentName),
    }),
  });
}

function steadied(sessionId: string, response: Response, signal?: AbortSignal | null): Response {
  if (response.status === 204 || !response.body) return response;
  const body = steady(response.body, {
    signal,
    pause: (tries) => pause(Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS)),
    rest: async (lastEventId) => {
      const headers: Record<string, string> = lastEventId ? { "Last-Event-ID": lastEventId } : {};
      const rest = await authorizedFetch(streamAddress(sessionId), { headers, signal });
      return rest.status === 204 ? null : rest.body;
    },
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

/** Some time, or until the browser says that it is online again. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener("online", done);
  });
}
