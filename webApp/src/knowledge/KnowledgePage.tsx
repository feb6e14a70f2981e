import { useState } from "react";
import { useLive } from "../api/live/live";
import type { Article } from "../api/types";
import { Button } from "../shell/Button";
import { deleteSoon } from "../shell/deletions";
import { EmptyState } from "../shell/EmptyState";
import { ErrorCard } from "../shell/ErrorCard";
import { Page } from "../shell/Page";
import { useSearchParam } from "../shell/router";
import { Waiting } from "../shell/Spinner";
import { strings } from "../strings";
import { ArticleRow, UploadRow } from "./ArticleRow";
import { DropZone } from "./DropZone";
import { addFiles, useUploads } from "./uploads";
import { addressOfArticle, useArticles, useProgress } from "./useArticles";
import "./knowledge.css";

const words = strings.knowledge;

/** Documents that answers are taken from: added, watched while they are read, deleted. */
export default function KnowledgePage() {
  const wanted = useSearchParam("id"); // as the sources of an answer lead here
  const list = useArticles(wanted);
  const progress = useProgress();
  const uploads = useUploads((state) => state.uploads);
  const said = useSaid(list.articles);
  const isEmpty = list.isSuccess && list.articles.length === 0 && uploads.length === 0;
  return (
    <Page title={strings.nav.knowledge} lead={words.lead}>
      <DropZone onFiles={addFiles} />
      <p className="hidden-visually" role="status">
        {said}
      </p>
      {uploads.length > 0 && (
        <ul className="articles" aria-label={words.uploads}>
          {uploads.map((upload) => (
            <UploadRow key={upload.id} upload={upload} />
          ))}
        </ul>
      )}
      {list.isPending && <Waiting />}
      {list.isError && <ErrorCard error={list.error} onRetry={() => void list.refetch()} busy={list.isFetching} />}
      {list.isGone && <p role="status">{words.isGone}</p>}
      {isEmpty && <EmptyState title={words.emptyTitle}>{words.empty}</EmptyState>}
      {list.articles.length > 0 && (
        <ul className="articles" aria-label={words.list}>
          {list.articles.map((article) => (
            <ArticleRow
              key={article.id}
              article={article}
              progress={progress[article.id]}
              isSpot={article.id === wanted}
              onDelete={() => deleteSoon(addressOfArticle(article.id), words.removed(article.name))}
            />
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <Button look="quiet" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {words.older}
        </Button>
      )}
    </Page>
  );
}

/** For who does not see the list: how the reading of an article ended. */
function useSaid(articles: Article[]): string {
  const [said, setSaid] = useState("");
  useLive("knowledge", ({ data }) => {
    const name = articles.find((each) => each.id === data.article_id)?.name;
    if (name && (data.state === "ready" || data.state === "failed")) setSaid(words.told(name, words.state[data.state]));
  });
  return said;
}
