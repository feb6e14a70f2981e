import type { FileUIPart } from "ai";
import { Button } from "../shell/Button";
import { CloseIcon } from "../shell/icons";
import { strings } from "../strings";

/** Pictures of a message, or of one that is being written: those can be taken away. */
export function Pictures({ files, onRemove }: { files: FileUIPart[]; onRemove?: (place: number) => void }) {
  if (files.length === 0) return null;
  return (
    <ul className="pictures">
      {files.map((file, place) => (
        <li key={place}>
          {isPicture(file) && <img src={file.url} alt={file.filename || strings.chat.picture} />}
          {onRemove && (
            <Button
              size="small"
              label={strings.chat.removePicture(file.filename || strings.chat.picture)}
              icon={<CloseIcon size={14} />}
              onClick={() => onRemove(place)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

/** Only what came with the message itself; an address elsewhere is never loaded. */
const isPicture = (file: FileUIPart) => file.mediaType.startsWith("image/") && /^(data:image\/|blob:)/.test(file.url);
