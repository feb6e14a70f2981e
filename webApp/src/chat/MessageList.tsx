import { memo, useEffect, useLayoutEffect, useRef, type ReactNode } from "react";
import { Button } from "../shell/Button";
import { ErrorCard } from "../shell/ErrorCard";
import { DownIcon } from "../shell/icons";
import { Spinner } from "../shell/Spinner";
import { isFocusLost } from "../shell/useFocusFollows";
import { strings } from "../strings";
import type { ChatMessage } from "./message";
import { MessageView, WaitingQuestion, type MessageActions } from "./MessageView";
import type { More, Pages } from "./usePages";
import { useScroll } from "./useScroll";

interface Props extends MessageActions {
  pages: Pages;
  /** Sent here, and not yet asked. */
  waiting: ChatMessage | null;
  status: string;
  /** Grows with every message that was sent from here: then the end is shown, wherever the reader was. */
  sent: number;
  /** The message that somebody came here for. */
  spot: string | null;
  isSeeking: boolean;
  notice: ReactNode;
  empty: ReactNode;
}

const Line = memo(MessageView);

export function MessageList({ pages, waiting, status, sent, spot, isSeeking, notice, empty, onEdit, onEditLost, onAgain }: Props) {
  const { messages, isPast, older, newer } = pages;
  const { box, content, isAtEnd, toEnd, show } = useScroll(messages[0]?.id, sent + pages.returns, isPast);
  const isSpotThere = spot !== null && messages.some((each) => each.id === spot);
  useLayoutEffect(() => {
    if (spot !== null && isSpotThere) show(spot);
  }, [spot, isSpotThere, show]);
  const isBusy = status === "submitted" || status === "streaming";
  const isAnswering = isBusy && !isPast; // here
  useEffect(() => {
    // What was pressed for this answer is hidden while it is written.
    if (isAnswering && (isFocusLost() || document.activeElement?.closest(".needs-idle"))) box.current?.focus({ preventScroll: true });
  }, [isAnswering, box]);
  const last = messages.length - 1;
  const lastQuestion = messages.findLastIndex((each) => each.role === "user");
  return (
    <div className="log-frame">
      <div ref={box} className="log-scroll" tabIndex={0} role="log" aria-label={strings.chat.log} aria-busy={isAnswering}>
        <div ref={content} className="log" data-busy={isBusy}>
          {older.hasMore && <MorePages more={older} name={strings.chat.older} />}
          {messages.length === 0 && !waiting && !notice && empty}
          {messages.map((message, place) => (
            <Line
              key={message.id}
              message={message}
              isSpot={message.id === spot}
              isLast={place === last && !isPast}
              isFollowed={place < lastQuestion || isPast}
              isStreaming={isAnswering && place === last && message.role === "assistant"}
              onEdit={onEdit}
              onEditLost={onEditLost}
              onAgain={onAgain}
            />
          ))}
          {isAnswering && messages[last]?.role !== "assistant" && <Thinking />}
          {waiting && !isPast && <WaitingQuestion message={waiting} isAnswering={isAnswering} />}
          {newer.hasMore && <MorePages more={newer} name={strings.chat.newer} />}
          {!isPast && notice}
        </div>
      </div>
      {isSeeking && (
        <p className="seeking" role="status">
          <Spinner /> {strings.chat.seeking}
        </p>
      )}
      {(!isAtEnd || isPast) && (
        <div className="jump">
          <Button label={strings.chat.jumpDown} icon={<DownIcon />} onClick={isPast ? pages.toNewest : toEnd} />
        </div>
      )}
    </div>
  );
}

function Thinking() {
  return (
    <p className="thinking">
      <span aria-hidden="true" />
      <span aria-hidden="true" />
      <span aria-hidden="true" />
      <span className="hidden-visually">{strings.chat.thinking}</span>
    </p>
  );
}

/** Comes into view when the reader is near; then the next page is read. */
function MorePages({ more, name }: { more: More; name: string }) {
  const mark = useRef<HTMLDivElement>(null);
  const { load, isLoading, error } = more;
  useEffect(() => {
    if (!mark.current || error || isLoading) return; // after each page anew: the mark may still be in view
    const watch = new IntersectionObserver((seen) => seen.some((each) => each.isIntersecting) && load(), {
      root: mark.current.closest(".log-scroll"),
      rootMargin: "1200px 0px",
    });
    watch.observe(mark.current);
    return () => watch.disconnect();
  }, [load, error, isLoading]);
  return (
    <div ref={mark} className="more">
      {error ? (
        <ErrorCard error={error} onRetry={load} busy={isLoading} />
      ) : (
        <Button look="quiet" size="small" onClick={load} icon={isLoading && <Spinner />}>
          {name}
        </Button>
      )}
    </div>
  );
}
