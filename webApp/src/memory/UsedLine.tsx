import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client";
import { ApiError } from "../api/errors";
import { keys } from "../api/query";
import { textOf, type ChatMessage, type UsedMemory } from "../chat/message";
import { useChatStore } from "../session/useChatStore";
import { Link } from "../shell/Link";
import { Spinner } from "../shell/Spinner";
import { strings } from "../strings";
import { MemoryLine } from "./MemoryLine";
import { ago, dayOf } from "./moments";
import { SourceLink } from "./SourceLink";
import { useMemory } from "./useMemories";

const words = strings.memory;

/** One line that the model was given. Stored answers name it only: its text is read from where it is, if it still is. */
export function UsedLine({ used }: { used: UsedMemory }) {
  return used.what === "memory" ? <UsedRecord used={used} /> : <UsedMessage used={used} />;
}

function UsedRecord({ used }: { used: UsedMemory }) {
  const [text, setText] = useState(used.text);
  const { data, error } = useMemory(used.id, text === undefined);
  // What was read once stays when it is forgotten here: the way back is in its line.
  if (text === undefined && data) setText(data.text);
  if (text === undefined) return error ? <Gone text={isMissing(error) ? words.isGone : error.message} /> : <Loading />;
  return (
    <MemoryLine id={used.id} text={text} ways={["wrong", "forgotten"]}>
      <Origin used={used} /> · <Link to={`/memory?id=${used.id}`}>{words.details}</Link>
    </MemoryLine>
  );
}

function UsedMessage({ used }: { used: UsedMemory }) {
  const session_id = used.source?.session_id;
  const { data, error, isLoading } = useQuery({
    queryKey: [...keys.sessions, "message", session_id, used.id],
    queryFn: ({ signal }) =>
      call("get", "/api/sessions/{session_id}/messages/{message_id}", { path: { session_id: session_id ?? "", message_id: used.id }, signal }),
    enabled: used.text === undefined && session_id !== undefined,
    staleTime: Infinity,
  });
  const text = used.text ?? (data ? textOf(data as unknown as ChatMessage) : undefined);
  if (error) return <Gone text={isMissing(error) ? words.isGoneMessage : error.message} />;
  if (text === undefined) return isLoading ? <Loading /> : <Gone text={words.isGoneMessage} />;
  return (
    <MemoryLine id={used.id} text={text} isQuote ways={["passedOver"]}>
      <Origin used={used} />
    </MemoryLine>
  );
}

function Origin({ used }: { used: UsedMemory }) {
  const { source } = used;
  const here = useChatStore((state) => state.sessionId);
  const name = source?.session_id === here ? words.saidHere : source?.title ? words.saidIn(source.title) : words.saidBefore;
  return (
    <>
      {used.corrected_at ? (
        words.correctedByYou
      ) : source?.session_id ? (
        <SourceLink sessionId={source.session_id} messageId={source.message_id}>
          {name}
        </SourceLink>
      ) : (
        words.addedByYou
      )}
      {used.said_at && ` · ${ago(used.corrected_at ?? used.said_at)}`}
      {used.valid_to && ` · ${holds(used, new Date(used.valid_to))}`}
      {used.trust === "untrusted" && ` · ${words.trusts.untrusted}`}
    </>
  );
}

/** What ended before the day it was said never held: who moved last month was wrong when he said where he lives. */
function holds({ said_at, valid_to }: UsedMemory, end: Date): string {
  if (said_at && end < new Date(said_at)) return words.holdsNoLonger;
  return (end > new Date() ? words.holds : words.held)(dayOf(valid_to ?? ""));
}

const isMissing = (error: unknown) => error instanceof ApiError && error.status === 404;
const Gone = ({ text }: { text: string }) => <li className="memory-line soft">{text}</li>;
const Loading = () => (
  <li className="memory-line">
    <Spinner />
  </li>
);
