import { Button } from "../shell/Button";
import { AgainIcon, CheckIcon, CopyIcon, EditIcon } from "../shell/icons";
import { strings } from "../strings";
import { useCopy } from "./useCopy";

interface Props {
  text: string;
  onEdit?: () => void;
  onAgain?: () => void;
}

export function MessageTools({ text, onEdit, onAgain }: Props) {
  const { isCopied, copy } = useCopy();
  return (
    <div className="message-tools">
      {text && (
        <Button
          look="quiet"
          size="small"
          label={isCopied ? strings.chat.copied : strings.chat.copy}
          icon={isCopied ? <CheckIcon size={16} /> : <CopyIcon size={16} />}
          onClick={() => void copy(text)}
        />
      )}
      {/* Hidden by the log while an answer is written: a prop would draw every message of a long conversation anew. */}
      <span className="needs-idle">
        {onEdit && <Button look="quiet" size="small" label={strings.chat.edit} icon={<EditIcon size={16} />} onClick={onEdit} />}
        {onAgain && <Button look="quiet" size="small" label={strings.chat.again} icon={<AgainIcon size={16} />} onClick={onAgain} />}
      </span>
    </div>
  );
}
