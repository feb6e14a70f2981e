import { EmptyState } from "../shell/EmptyState";
import { Page } from "../shell/Page";
import { strings } from "../strings";

export default function MemoryPage() {
  return (
    <Page title={strings.nav.memory}>
      <EmptyState title={strings.shell.soon} />
    </Page>
  );
}
