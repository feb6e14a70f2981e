import { EmptyState } from "../shell/EmptyState";
import { Page } from "../shell/Page";
import { strings } from "../strings";

export default function GraphPage() {
  return (
    <Page title={strings.nav.graph}>
      <EmptyState title={strings.shell.soon} />
    </Page>
  );
}
