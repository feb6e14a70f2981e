import type { ReactNode } from "react";
import type { Memory } from "../api/types";
import type { UsedMemory } from "../chat/message";
import { Link } from "../shell/Link";
import { strings } from "../strings";
import type { doneBy, Used } from "./answer";
import { GoneLines, NotesLines } from "./DoneLines";
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
      <Lines title={words.usedTitle} count={used.told.length}>
        <UsedLines used={used.told} />
      </Lines>
      <Lines title={words.askedTitle} count={used.asked.length}>
        <UsedLines used={used.asked} />
      </Lines>
      <Lines title={words.learnedTitle} count={learned.length + done.notes.length}>
        {learned.map((each) => (
          <MemoryLine key={each.id} id={each.id} text={each.text} ways={["takenBack"]}>
            {words.kinds[each.kind]} · <Link to={`/memory?id=${each.id}`}>{words.details}</Link>
          </MemoryLine>
        ))}
        <NotesLines notes={done.notes} />
      </Lines>
      <Lines title={words.goneTitle} count={done.forgotten.length + done.passedOver.length}>
        <GoneLines forgotten={done.forgotten} passedOver={done.passedOver} />
      </Lines>
    </>
  );
}

function Lines({ title, count, children }: { title: string; count: number; children: ReactNode }) {
  if (count === 0) return null;
  return (
    <>
      <p className="memory-lines-title" aria-hidden="true">
        {title}
      </p>
      <ul className="memory-lines" aria-label={title}>
        {children}
      </ul>
    </>
  );
}

const UsedLines = ({ used }: { used: UsedMemory[] }) => used.map((each) => <UsedLine key={each.id} used={each} />);
