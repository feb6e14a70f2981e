import { EmptyState } from "../shell/EmptyState";
import { Page } from "../shell/Page";
import { strings } from "../strings";

export default function KnowledgePage() {
  return (
    <Page title={strings.nav.knowledge}>
      <EmptyState title={strings.shell.soon} />
    </Page>
  );
}
