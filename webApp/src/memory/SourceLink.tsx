import { useMutation } from "@tanstack/react-query";
import { call } from "../api/client";
import { asApiError } from "../api/errors";
import { addressOfChat, namedChat } from "../session/address";
import { useChatStore } from "../session/useChatStore";
import { navigate } from "../shell/router";
import { toast } from "../shell/toasts";
import { strings } from "../strings";

interface Props {
  sessionId: string;
  messageId?: string | null;
  children?: string;
  /** What is in the way is closed before the chat is opened. */
  onLeave?: () => void;
}

/** Opens the chat in which something was said; `?message=` says where in it. */
export function SourceLink({ sessionId, messageId, children = strings.memory.openChat, onLeave }: Props) {
  const openSession = useChatStore((state) => state.openSession);
  const open = useMutation({
    mutationFn: () => call("get", "/api/sessions/{session_id}", { path: { session_id: sessionId } }),
    onSuccess: (session) => {
      onLeave?.();
      const replace = namedChat() === session.session_id; // it is open: Back leads to what was before it
      navigate(addressOfChat(session.session_id, messageId), { replace });
      openSession(session);
    },
    onError: (error) => toast(asApiError(error).detail),
  });
  return (
    <button type="button" className="text-link" disabled={open.isPending} onClick={() => open.mutate()}>
      {children}
    </button>
  );
}
