import { useCallback, useEffect, useRef, useState } from "react";
import { ErrorCard } from "../shell/ErrorCard";
import { toast } from "../shell/toasts";
import { strings } from "../strings";
import { Composer, type Writer } from "./Composer";
import type { HistoryPage } from "./history";
import { MessageList } from "./MessageList";
import { useConversation } from "./useConversation";
import { useSpot } from "./useSpot";
import { Welcome } from "./Welcome";

interface Props {
  sessionId: string;
  agentName: string;
  history: HistoryPage;
}

export function Conversation({ sessionId, agentName, history }: Props) {
  const writer = useRef<Writer>(null);
  const onHeard = useCallback((text: string) => writer.current?.drop(text), []);
  const chat = useConversation(sessionId, agentName, history, onHeard);
  const { isAnswering, stop, pages } = chat;
  const [sent, setSent] = useState(0);
  const onEditLost = useCallback((text: string) => {
    if (!writer.current) return; // with the whole conversation
    writer.current.add(text);
    toast(strings.chat.editLost);
  }, []);
  // What was pressed for an answer is hidden while it is written.
  const { edit, again } = chat;
  const onEdit = useCallback(
    async (...asked: Parameters<typeof edit>) => {
      const wasTaken = await edit(...asked);
      if (wasTaken) writer.current?.focus();
      return wasTaken;
    },
    [edit],
  );
  const onAgain = useCallback(
    (...asked: Parameters<typeof again>) => {
      writer.current?.focus();
      void again(...asked);
    },
    [again],
  );
  const question = history.messages.findLast((each) => each.role === "user");
  const isAnswered = !chat.error && chat.messages.at(-1)?.role === "assistant";
  const { spot, isSeeking } = useSpot(sessionId, pages);

  useEffect(() => {
    if (!isAnswering) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.isComposing && !document.querySelector("dialog[open]")) void stop();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [isAnswering, stop]);

  return (
    <>
      <MessageList
        pages={pages}
        waiting={chat.waiting}
        status={chat.status}
        sent={sent}
        spot={spot}
        isSeeking={isSeeking}
        onEdit={onEdit}
        onEditLost={onEditLost}
        onAgain={onAgain}
        notice={chat.error && <ErrorCard error={chat.error} onRetry={() => chat.retry(() => writer.current?.send())} />}
        empty={<Welcome sessionId={sessionId} />}
      />
      <p className="hidden-visually" role="status">
        {isAnswering ? strings.chat.answering : isAnswered && sent > 0 ? strings.chat.answered : ""}
      </p>
      <Composer
        sessionId={sessionId}
        agentName={agentName}
        said={question}
        isAnswering={isAnswering}
        writer={writer}
        onStop={() => void stop()}
        onSend={(text, files) => {
          pages.toNewest();
          setSent((count) => count + 1);
          return chat.send(text, files);
        }}
      />
    </>
  );
}
