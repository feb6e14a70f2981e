import { EmptyState } from "../shell/EmptyState";
import { strings } from "../strings";

export function Welcome() {
  return (
    <div className="welcome">
      <EmptyState title={strings.chat.emptyTitle}>{strings.chat.emptyLead}</EmptyState>
    </div>
  );
}
