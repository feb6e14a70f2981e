import { EmptyState } from "../shell/EmptyState";
import { Page } from "../shell/Page";
import { strings } from "../strings";

export default function NotesPage() {
  return (
    <Page title={strings.nav.notes}>
      <EmptyState title={strings.shell.soon} />
    </Page>
  );
}
