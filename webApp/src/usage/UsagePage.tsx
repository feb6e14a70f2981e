import { EmptyState } from "../shell/EmptyState";
import { Page } from "../shell/Page";
import { strings } from "../strings";

export default function UsagePage() {
  return (
    <Page title={strings.nav.usage}>
      <EmptyState title={strings.shell.soon} />
    </Page>
  );
}
