import { useEffect, useState } from "react";
import { ErrorCard } from "../shell/ErrorCard";
import { strings } from "../strings";
import { Composer } from "./Composer";
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
  const chat = useConversation(sessionId, agentName, history);
  const { isAnswering, stop } = chat;
  const [sent, setSent] = useState(0);
  const spot = useSpot(sessionId, chat.messages, chat.older);

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
        messages={chat.messages}
        status={chat.status}
        older={chat.older}
        sent={sent}
        spot={spot}
        onEdit={chat.edit}
        onAgain={chat.again}
        notice={chat.error && <ErrorCard error={chat.error} onRetry={chat.retry} />}
        empty={<Welcome />}
      />
      <p className="hidden-visually" role="status">
        {isAnswering ? strings.chat.answering : chat.messages.at(-1)?.role === "assistant" && sent > 0 ? strings.chat.answered : ""}
      </p>
      <Composer
        sessionId={sessionId}
        agentName={agentName}
        isAnswering={isAnswering}
        onStop={() => void stop()}
        onSend={(text, files) => {
          chat.send(text, files);
          setSent((count) => count + 1);
        }}
      />
    </>
  );
}
