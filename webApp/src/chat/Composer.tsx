import { useEffect, useImperativeHandle, useRef, useState, type DragEvent, type Ref } from "react";
import { useWhenGone } from "../session/useChatSessionHooks";
import { Button } from "../shell/Button";
import { ImageIcon, SendIcon, StopIcon } from "../shell/icons";
import { strings } from "../strings";
import { GrowingText } from "./GrowingText";
import { textOf, type ChatMessage } from "./message";
import { Pictures } from "./Pictures";
import { PICTURE_TYPES } from "./pictures";
import { useWriting, type Say } from "./useWriting";

/** What others do with what is being written. */
export interface Writer {
  send: () => void;
  add: (text: string) => void;
  drop: (text: string) => void;
  /** Who writes by keys goes on here; a touch would bring up the keys. */
  focus: () => void;
}

interface Props {
  sessionId: string;
  agentName: string;
  /** The last question of the conversation. */
  said?: ChatMessage;
  isAnswering: boolean;
  writer: Ref<Writer>;
  onSend: Say;
  onStop: () => void;
}

export function Composer({ sessionId, agentName, said, isAnswering, writer, onSend, onStop }: Props) {
  const { draft, write, addWords, drop: dropWritten, pictures, add, remove, isEmpty, send: sendWritten, forget } = useWriting(
    sessionId,
    said ? textOf(said) : "",
    said?.parts.filter((part) => part.type === "file"),
  );
  useWhenGone(sessionId, forget);
  const [isOver, setOver] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  const canSend = !isAnswering && !isEmpty;

  const focus = () => {
    if (matchMedia("(pointer: fine)").matches) text.current?.focus({ preventScroll: true });
  };
  useEffect(focus, [sessionId]);

  const send = () => {
    if (!canSend) return;
    void sendWritten(onSend);
    text.current?.focus();
  };
  useImperativeHandle(writer, () => ({ send, add: addWords, drop: dropWritten, focus }));
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void add([...event.dataTransfer.files]);
  };
  const over = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    setOver(true);
  };

  return (
    <form
      className="composer"
      data-over={isOver}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <div className="composer-box">
        <Pictures files={pictures} onRemove={remove} />
        <GrowingText
          inputRef={text}
          label={strings.chat.composer}
          placeholder={isOver ? strings.chat.dropHere : strings.chat.placeholder(agentName)}
          value={draft}
          onChange={write}
          onEnter={send}
          onPaste={(event) => {
            const files = [...event.clipboardData.files];
            if (files.length === 0) return;
            event.preventDefault();
            void add(files);
          }}
        />
        <div className="composer-actions">
          <input
            ref={chooser}
            type="file"
            hidden
            multiple
            accept={PICTURE_TYPES.join(",")}
            onChange={(event) => {
              void add([...(event.target.files ?? [])]);
              event.target.value = "";
            }}
          />
          <Button look="quiet" label={strings.chat.attach} icon={<ImageIcon />} onClick={() => chooser.current?.click()} />
          {isAnswering ? (
            <Button look="primary" label={strings.chat.stop} icon={<StopIcon />} onClick={onStop} />
          ) : (
            <Button look="primary" type="submit" label={strings.chat.send} icon={<SendIcon />} disabled={!canSend} />
          )}
        </div>
      </div>
    </form>
  );
}
