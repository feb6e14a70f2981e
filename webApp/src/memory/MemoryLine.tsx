import type { ReactNode } from "react";
import { Button } from "../shell/Button";
import { plainText } from "../shell/plainText";
import { useFocusFollows } from "../shell/useFocusFollows";
import { strings } from "../strings";
import { RightForm } from "./RightForm";
import { useFate, type Fate } from "./useFate";

interface Props {
  id: string;
  text: string;
  /** Below the text: where it is from, how old it is. */
  children?: ReactNode;
  /** It is in somebody's own words, and may be long. */
  isQuote?: boolean;
  /** What can be done to it. */
  ways: readonly Exclude<Fate, "there" | "corrected">[];
}

const words = strings.memory;
const NAMES = { wrong: words.wrong, forgotten: words.forget, takenBack: strings.shell.undo, passedOver: words.forget } as const;
const LABELS = { wrong: words.wrongOf, forgotten: words.forgetOf, takenBack: words.undoOf, passedOver: words.forgetOf } as const;
const LONGEST_NAME = 120; // of a button, to whoever hears it

/** One memory, or message, below an answer, with one click to have it gone and one to have it back. */
export function MemoryLine({ id, text: said, children, isQuote, ways }: Props) {
  const text = plainText(said);
  const named = text.slice(0, LONGEST_NAME);
  const { fate, told, isPending, become } = useFate(id);
  const line = useFocusFollows<HTMLDivElement>(fate);
  return (
    <li className="memory-line" data-fate={fate}>
      <div className="memory-line-text">
        <p className={isQuote ? "memory-quote" : undefined}>{text}</p>
        <p className="small soft">{fate === "there" ? children : <span role="status">{told}</span>}</p>
        {fate === "wrong" && <RightForm text={said} isBusy={isPending} onSave={(right) => become("corrected", right)} />}
      </div>
      <div ref={line} className="memory-line-ways">
        {fate === "there" ? (
          ways.map((way) => (
            <Button key={way} look="quiet" size="small" busy={isPending} aria-label={LABELS[way](named)} onClick={() => become(way)}>
              {NAMES[way]}
            </Button>
          ))
        ) : (
          <Button size="small" busy={isPending} aria-label={words.undoOf(named)} onClick={() => become("there" satisfies Fate)}>
            {strings.shell.undo}
          </Button>
        )}
      </div>
    </li>
  );
}
