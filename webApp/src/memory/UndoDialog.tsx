import type { WholeMemory } from "../api/types";
import { Button } from "../shell/Button";
import { Dialog } from "../shell/Dialog";
import { plainText } from "../shell/plainText";
import { strings } from "../strings";

const words = strings.memory;

interface Props {
  memory: WholeMemory;
  isMade: boolean;
  isBusy: boolean;
  onUndo: () => void;
  onClose: () => void;
}

/** Asked before an undo that takes away or brings back more than a change to this memory. */
export function UndoDialog({ memory, isMade, isBusy, onUndo, onClose }: Props) {
  const actions = (
    <>
      <Button onClick={onClose}>{strings.shell.cancel}</Button>
      <Button look="primary" busy={isBusy} onClick={onUndo}>
        {strings.shell.undo}
      </Button>
    </>
  );
  return (
    <Dialog title={isMade ? words.undoMadeAsked : words.undoReplacedAsked} onClose={onClose} actions={actions} wide>
      {isMade ? <Quoted lead={words.willGo} texts={[memory.text]} /> : <Quoted lead={words.willHoldItself} texts={[memory.text]} />}
      {isMade && memory.replaced.length > 0 && <Quoted lead={words.willHold} texts={memory.replaced.map((each) => each.text)} />}
      {isMade && <p>{words.stillSaid}</p>}
    </Dialog>
  );
}

function Quoted({ lead, texts }: { lead: string; texts: string[] }) {
  return (
    <>
      <p>{lead}</p>
      <ul>
        {texts.map((text) => (
          <li key={text}>{plainText(text)}</li>
        ))}
      </ul>
    </>
  );
}
