import { memo, type ComponentProps } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import { Crash } from "../shell/Crash";
import { CodeBlock } from "./CodeBlock";
import { readGfm, readGfmWithoutMarks } from "./gfm";
import { blocksOf } from "./markdownBlocks";
import { inlineCrowd, inlineDepth } from "./markdownDepth";
import "./markdown.css";

/** Text of a model: anybody's. HTML in it stays text, and nothing is loaded from elsewhere. */
export default memo(Markdown);

function Markdown({ text, isStreaming = false }: { text: string; isStreaming?: boolean }) {
  const blocks = blocksOf(text);
  return (
    <div className="markdown">
      {blocks.map((block, place) => (
        <Block key={place} text={block} isOpen={isStreaming && place === blocks.length - 1} />
      ))}
    </div>
  );
}

const plugins = [readGfm];
const pluginsForCrowds = [readGfmWithoutMarks];

// Quotes and lists in one another, in one line: 10,000 deep they are beyond the stack, after seconds or minutes.
const TOO_DEEP = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])){100}/m;
const DEEPEST = 100; // of brackets and emphasis: 2,000 pairs in one another took 51 s (2026-11-16)
const MOST = 1_000; // marks of a paragraph, beside one another: 40,000 took 24 s, as letters 0.2 s (2026-11-16)

const Block = memo(function Block({ text, isOpen }: { text: string; isOpen: boolean }) {
  const plain = <p className="markdown-plain">{text}</p>;
  if (TOO_DEEP.test(text) || inlineDepth(text) > DEEPEST) return plain;
  return (
    <Crash instead={plain}>
      <ReactMarkdown remarkPlugins={inlineCrowd(text) > MOST ? pluginsForCrowds : plugins} components={isOpen ? openComponents : components}>
        {text}
      </ReactMarkdown>
    </Crash>
  );
});

function Anchor({ href, children, title }: ComponentProps<"a">) {
  return (
    <a href={href} title={title} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

const components: Components = {
  a: ({ href, children, title }) => <Anchor href={href} title={title}>{children}</Anchor>,
  // A picture elsewhere would tell its host who reads what: it stays a link.
  img: ({ src, alt }) => <Anchor href={typeof src === "string" ? src : undefined}>{alt || src}</Anchor>,
  table: ({ children }) => (
    <div className="table-scroll" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  pre: ({ children }) => <CodeBlock isOpen={false}>{children}</CodeBlock>,
  // Heading levels below those of the page.
  h1: ({ children }) => <h2>{children}</h2>,
  h2: ({ children }) => <h3>{children}</h3>,
  h3: ({ children }) => <h4>{children}</h4>,
  h4: ({ children }) => <h5>{children}</h5>,
};

const openComponents: Components = { ...components, pre: ({ children }) => <CodeBlock isOpen>{children}</CodeBlock> };
