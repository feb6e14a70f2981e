import { useLayoutEffect, useRef, type ClipboardEventHandler, type Ref } from "react";

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  onEnter: () => void;
  onPaste?: ClipboardEventHandler;
  placeholder?: string;
  autoFocus?: boolean;
  inputRef?: Ref<HTMLTextAreaElement>;
}

const growsByItself = typeof CSS !== "undefined" && CSS.supports?.("field-sizing", "content");

/** A text field as high as its text; Enter sends, unless it ends a word of an input method, or comes from a finger. */
export function GrowingText({ label, value, onChange, onEnter, inputRef, ...rest }: Props) {
  const own = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (growsByItself || !own.current) return;
    own.current.style.height = "auto";
    own.current.style.height = `${own.current.scrollHeight}px`;
  }, [value]);
  return (
    <textarea
      ref={(element) => {
        own.current = element;
        if (typeof inputRef === "function") inputRef(element);
        else if (inputRef) inputRef.current = element;
      }}
      className="growing"
      aria-label={label}
      rows={1}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (!isSend(event.nativeEvent)) return;
        event.preventDefault();
        onEnter();
      }}
      {...rest}
    />
  );
}

/** 229: how Safari tells the Enter that ends a composition, which comes after its end. */
export function isSend(event: Pick<KeyboardEvent, "key" | "shiftKey" | "altKey" | "isComposing" | "keyCode">): boolean {
  if (event.key !== "Enter" || event.shiftKey || event.altKey) return false;
  if (event.isComposing || event.keyCode === 229) return false;
  return typeof matchMedia !== "function" || !matchMedia("(pointer: coarse)").matches;
}
