import { isValidElement, useEffect, useState, type ReactNode } from "react";
import { Button } from "../shell/Button";
import { CheckIcon, CopyIcon } from "../shell/icons";
import { strings } from "../strings";
import { useCopy } from "./useCopy";

const LONGEST = 40_000; // characters that are worth colours

/** Code with its language and a way to copy it; colours come when it is complete, and their program when first needed. */
export function CodeBlock({ children, isOpen }: { children?: ReactNode; isOpen: boolean }) {
  const { code, language } = codeOf(children);
  const [coloured, setColoured] = useState<{ code: string; drawn: ReactNode } | null>(null);
  const { isCopied, copy } = useCopy();
  useEffect(() => {
    if (isOpen || !language || code.length > LONGEST) return;
    let isGone = false;
    import("./highlight")
      .then(({ highlight }) => !isGone && setColoured({ code, drawn: highlight(code, language) }))
      .catch(() => undefined); // without colours it is code all the same
    return () => {
      isGone = true;
    };
  }, [code, language, isOpen]);
  return (
    <figure className="code">
      <figcaption>
        <span>{language}</span>
        <Button
          look="quiet"
          size="small"
          icon={isCopied ? <CheckIcon size={14} /> : <CopyIcon size={14} />}
          onClick={() => void copy(code)}
        >
          {isCopied ? strings.chat.copied : strings.chat.copy}
        </Button>
      </figcaption>
      <pre tabIndex={0}>
        <code>{coloured?.code === code ? coloured.drawn : code}</code>
      </pre>
    </figure>
  );
}

/** react-markdown draws a fence as <pre><code className="language-x">. */
function codeOf(children: ReactNode): { code: string; language: string | null } {
  if (!isValidElement<{ children?: ReactNode; className?: string }>(children)) return { code: "", language: null };
  const { className, children: text } = children.props;
  const language = /language-(\S+)/.exec(className ?? "")?.[1] ?? null;
  return { code: String(text ?? "").replace(/\n$/, ""), language };
}
