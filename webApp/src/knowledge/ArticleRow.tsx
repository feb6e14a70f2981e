import { useEffect, useRef } from "react";
import type { Article } from "../api/types";
import { Button } from "../shell/Button";
import { CloseIcon, TrashIcon } from "../shell/icons";
import { Spinner } from "../shell/Spinner";
import { strings } from "../strings";
import { aboutArticle, remarkOn, shareOf, sizeText, stateText, type Progress } from "./files";
import { dismissUpload, retryUpload, type Upload } from "./uploads";

const words = strings.knowledge;

interface Props {
  article: Article;
  progress?: Progress;
  /** Marked, for who was led here. */
  isSpot: boolean;
  onDelete: () => void;
}

export function ArticleRow({ article, progress, isSpot, onDelete }: Props) {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!isSpot) return;
    row.current?.scrollIntoView({ block: "center" });
    row.current?.focus({ preventScroll: true });
  }, [isSpot]);
  const remark = remarkOn(article);
  const share = shareOf(progress);
  return (
    <li ref={row} className="article" data-spot={isSpot} tabIndex={isSpot ? -1 : undefined}>
      <div className="article-what">
        <p className="article-name">{article.name}</p>
        {article.title !== article.name && <p className="small">{article.title}</p>}
        <p className="small soft">{aboutArticle(article)}</p>
        {remark && (
          <p className="small article-remark" data-tone={article.state}>
            {remark}
          </p>
        )}
        {article.state === "reading" && (
          <progress className="article-progress" aria-label={words.progress(article.name)} max={1} value={share ?? undefined} />
        )}
      </div>
      <span className="article-badge" data-tone={article.state}>
        {article.shared ? words.shared : stateText(article, progress)}
      </span>
      {article.shared ? (
        <span className="article-no-action" />
      ) : (
        <Button look="quiet" size="small" label={words.remove(article.name)} icon={<TrashIcon size={16} />} onClick={onDelete} />
      )}
    </li>
  );
}

export function UploadRow({ upload }: { upload: Upload }) {
  const { id, file, state, share, problem, mayRetry } = upload;
  return (
    <li className="article">
      <div className="article-what">
        <p className="article-name">{file.name}</p>
        <p className="small soft">{sizeText(file.size)}</p>
        {problem && (
          <p className="small article-remark" data-tone="failed">
            {problem}
          </p>
        )}
        {state === "sending" && <progress className="article-progress" aria-label={words.sendingOf(file.name)} max={1} value={share} />}
      </div>
      {state === "failed" ? (
        mayRetry && (
          <Button size="small" onClick={() => retryUpload(id)}>
            {strings.shell.retry}
          </Button>
        )
      ) : (
        <span className="article-badge" data-tone={state}>
          {state === "sending" && <Spinner />}
          {state === "sending" ? words.sending(Math.floor(share * 100)) : words.waitsToSend}
        </span>
      )}
      {state === "sending" ? (
        <span className="article-no-action" />
      ) : (
        <Button look="quiet" size="small" label={words.dismiss(file.name)} icon={<CloseIcon size={16} />} onClick={() => dismissUpload(id)} />
      )}
    </li>
  );
}
