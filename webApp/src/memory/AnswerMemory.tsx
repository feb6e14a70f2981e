import { lazy, Suspense, useId, useState } from "react";
import type { Memory } from "../api/types";
import type { ChatMessage } from "../chat/message";
import { MemoryIcon } from "../shell/icons";
import { plainText } from "../shell/plainText";
import { Spinner } from "../shell/Spinner";
import { strings } from "../strings";
import { doneBy, usedBy } from "./answer";
import "./answer.css";
import { useLearned } from "./useLearned";

const AnswerMemoryBody = lazy(() => import("./AnswerMemoryBody"));
const words = strings.memory;

/** Below an answer: which memories it was given, and what was learned from this turn. One quiet line until it is opened. */
export default function AnswerMemory({ message }: { message: ChatMessage }) {
  const [isOpen, setOpen] = useState(false);
  const [wasOpen, setWasOpen] = useState(false); // it stays, closed: what was undone in it must not look as if it were not
  const bodyId = useId();
  const used = usedBy(message);
  const learned = useSeen(useLearned(message));
  const done = doneBy(message);
  const line = headline(used.told.length || used.asked.length, learned, done);
  if (!line.length) return null;
  const toggle = () => {
    setOpen(!isOpen);
    setWasOpen(true);
  };
  return (
    <section className="answer-memory">
      <button type="button" className="answer-memory-head" aria-expanded={isOpen} aria-controls={bodyId} onClick={toggle}>
        <MemoryIcon size={14} />
        <span className="one-line">{line.join(" · ")}</span>
      </button>
      <div id={bodyId} hidden={!isOpen}>
        {wasOpen && (
          <Suspense fallback={<Spinner />}>
            <AnswerMemoryBody used={used} learned={learned} done={done} />
          </Suspense>
        )}
      </div>
    </section>
  );
}

/** What was shown once stays, also when it is taken back: the way to have it again is beside it. */
function useSeen(learned: Memory[]): Memory[] {
  const [seen, setSeen] = useState<Memory[]>(learned);
  const fresh = learned.filter((each) => !seen.some((one) => one.id === each.id));
  if (fresh.length) setSeen([...seen, ...fresh]);
  return seen;
}

function headline(used: number, learned: Memory[], done: ReturnType<typeof doneBy>): string[] {
  const first = learned[0] && plainText(learned[0].text);
  const flagged = done.notes.some((each) => each.untrusted);
  return [
    used > 0 && words.used(used),
    first !== undefined && (learned.length > 1 ? words.rememberedMore(first, learned.length - 1) : words.remembered(first)),
    done.notes.length > 0 && (flagged ? words.notesFlagged : words.notesChanged),
    done.forgotten.length > 0 && words.forgotSome(done.forgotten.length),
    done.passedOver.length > 0 && words.passedOverSome(done.passedOver.length),
  ].filter((each) => typeof each === "string");
}
