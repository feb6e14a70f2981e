import { lazy, Suspense, useState } from "react";
import { useFocusFollows } from "../shell/useFocusFollows";
import { strings } from "../strings";
import { AgainForm } from "./AgainForm";
import { EditForm } from "./EditForm";
import { textOf, type ChatMessage } from "./message";
import { MessageTools } from "./MessageTools";
import { Parts } from "./Parts";
import { Pictures } from "./Pictures";
import { Sources } from "./Sources";

const AnswerMemory = lazy(() => import("../memory/AnswerMemory"));

export interface MessageActions {
  /** Whether it was taken. */
  onEdit: (message: ChatMessage, text: string) => Promise<boolean>;
  /** What was written to a message that is no longer in the conversation. */
  onEditLost: (text: string) => void;
  onAgain: (message: ChatMessage) => void;
}

interface Props extends MessageActions {
  message: ChatMessage;
  /** Marked, for who was led here. */
  isSpot: boolean;
  isLast: boolean;
  /** The user has said something after it. */
  isFollowed: boolean;
  isStreaming: boolean;
}

export function MessageView(props: Props) {
  switch (props.message.role) {
    case "user":
      return <Question {...props} />;
    case "system":
      return <ProgramMessage {...props} />;
    default:
      return <Answer {...props} />;
  }
}

/** Nobody said it in this conversation: a program left it there, and the model reads it. */
function ProgramMessage({ message, isSpot }: Props) {
  return (
    <article className="message answer" aria-label={strings.chat.program} data-message={message.id} data-spot={isSpot}>
      <p className="small soft">{strings.chat.byProgram}</p>
      <Parts message={message} isStreaming={false} />
    </article>
  );
}

/** What was sent while another device's answer is written: it is asked when that has ended. */
export function WaitingQuestion({ message, isAnswering }: { message: ChatMessage; isAnswering: boolean }) {
  return (
    <article className="message question" aria-label={strings.chat.you}>
      <Bubble message={message} />
      {isAnswering && <p className="ending">{strings.chat.waits}</p>}
    </article>
  );
}

function Bubble({ message }: { message: ChatMessage }) {
  return (
    <div className="bubble">
      <Pictures files={message.parts.filter((part) => part.type === "file")} />
      {textOf(message) && <div className="by-letters">{textOf(message)}</div>}
    </div>
  );
}

function Question({ message, isSpot, isLast, isFollowed, onEdit, onEditLost, onAgain }: Props) {
  const [isEditing, setEditing] = useState(false);
  const own = useFocusFollows<HTMLElement>(isEditing, ".needs-idle > .button");
  if (isEditing) {
    return (
      <EditForm
        text={textOf(message)}
        isFollowed={isFollowed}
        onCancel={() => setEditing(false)}
        onSend={async (text) => {
          const wasTaken = await onEdit(message, text);
          if (wasTaken) setEditing(false);
          return wasTaken;
        }}
        onLost={onEditLost}
      />
    );
  }
  return (
    <article ref={own} className="message question" aria-label={strings.chat.you} data-message={message.id} data-spot={isSpot}>
      <Bubble message={message} />
      <MessageTools
        text={textOf(message)}
        onEdit={() => setEditing(true)}
        onAgain={isLast ? () => onAgain(message) : undefined}
      />
    </article>
  );
}

const ENDINGS = {
  stopped: strings.chat.stopped,
  failed: strings.chat.failed,
  interrupted: strings.chat.interrupted,
} as const;

function Answer({ message, isSpot, isLast, isFollowed, isStreaming, onAgain }: Props) {
  const [isAsking, setAsking] = useState(false);
  const own = useFocusFollows<HTMLElement>(isAsking, ".needs-idle > .button");
  const again = () => {
    setAsking(false);
    onAgain(message);
  };
  const { state, cut_short } = message.metadata ?? {};
  const ending = state && state in ENDINGS ? ENDINGS[state as keyof typeof ENDINGS] : cut_short && strings.chat.cutShort[cut_short];
  return (
    <article
      ref={own}
      className="message answer"
      aria-label={strings.chat.assistant}
      data-message={message.id}
      data-spot={isSpot}
      data-last={isLast}
    >
      <Parts message={message} isStreaming={isStreaming} />
      {ending && !isStreaming && <p className="ending">{ending}</p>}
      <Sources message={message} />
      {!isStreaming && (
        <Suspense fallback={null}>
          <AnswerMemory message={message} />
        </Suspense>
      )}
      {!isStreaming && !isAsking && (
        <MessageTools text={textOf(message)} onAgain={isFollowed ? () => setAsking(true) : again} />
      )}
      {isAsking && (
        <div className="needs-idle">
          <AgainForm onAgain={again} onCancel={() => setAsking(false)} />
        </div>
      )}
    </article>
  );
}
