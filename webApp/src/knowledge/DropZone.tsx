import { useEffect, useId, useRef, useState } from "react";
import { Button } from "../shell/Button";
import { UploadIcon } from "../shell/icons";
import { strings } from "../strings";
import { ENDINGS } from "./files";

const words = strings.knowledge;

/** Files may be dropped anywhere on the page; here is where it says so, and where they can be chosen. */
export function DropZone({ onFiles }: { onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const isOver = useDrop(onFiles);
  const hint = useId();
  return (
    <div className="drop-zone" data-over={isOver}>
      <UploadIcon size={26} />
      <div>
        <p className="drop-title">{isOver ? words.dropNow : words.drop}</p>
        <p className="small soft" id={hint}>
          {words.kinds}
        </p>
      </div>
      <Button look="primary" aria-describedby={hint} onClick={() => input.current?.click()}>
        {words.choose}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={words.choose}
        accept={ENDINGS.join(",")}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = ""; // the same file may be chosen again
        }}
      />
    </div>
  );
}

/** Whether files hang over the window; what is not caught would make the browser open them. */
function useDrop(onFiles: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const current = useRef(onFiles);
  current.current = onFiles;
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const left = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      current.current([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", left);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", left);
      removeEventListener("drop", drop);
    };
  }, []);
  return isOver;
}
