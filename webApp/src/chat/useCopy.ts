import { useCallback, useEffect, useRef, useState } from "react";
import { toast } from "../shell/toasts";
import { strings } from "../strings";

const SHOWN_MS = 1_500;

/** Puts a text on the clipboard, and knows for a moment that it did. */
export function useCopy() {
  const [isCopied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = useCallback(async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      toast(strings.chat.copyFailed);
      return;
    }
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), SHOWN_MS);
  }, []);
  return { isCopied, copy };
}
