import type { Memory } from "../api/types";
import type { UsedMemory } from "../chat/message";
import { Link } from "../shell/Link";
import { strings } from "../strings";
import type { doneBy, Used } from "./answer";
import { DoneLines } from "./DoneLines";
import { MemoryLine } from "./MemoryLine";
import { UsedLine } from "./UsedLine";

const words = strings.memory;

interface Props {
  used: Used;
  learned: Memory[];
  done: ReturnType<typeof doneBy>;
}

/** The opened part: each memory with where it is from, and the way to have it gone. */
export default function AnswerMemoryBody({ used, learned, done }: Props) {
  return (
    <>
      <UsedLines title={words.usedTitle} used={used.told} />
      <UsedLines title={words.askedTitle} used={used.asked} />
      {learned.length + done.notes.length + done.forgotten.length + done.passedOver.length > 0 && (
        <>
          <p className="memory-lines-title" aria-hidden="true">
            {words.learnedTitle}
          </p>
          <ul className="memory-lines" aria-label={words.learnedTitle}>
            {learned.map((each) => (
              <MemoryLine key={each.id} id={each.id} text={each.text} ways={["takenBack"]}>
                {words.kinds[each.kind]} · <Link to={`/memory?id=${each.id}`}>{words.details}</Link>
              </MemoryLine>
            ))}
            <DoneLines done={done} />
          </ul>
        </>
      )}
    </>
  );
}

function UsedLines({ title, used }: { title: string; used: UsedMemory[] }) {
  if (used.length === 0) return null;
  return (
    <>
      <p className="memory-lines-title" aria-hidden="true">
        {title}
      </p>
      <ul className="memory-lines" aria-label={title}>
        {used.map((each) => (
          <UsedLine key={each.id} used={each} />
        ))}
      </ul>
    </>
  );
}
