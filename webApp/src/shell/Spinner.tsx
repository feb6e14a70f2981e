import { strings } from "../strings";

export function Spinner() {
  return <span className="spinner" aria-hidden="true" />;
}

/** Where something will be in a moment. */
export function Waiting({ label = strings.shell.loading }: { label?: string }) {
  return (
    <div className="waiting" role="status">
      <Spinner />
      <span className="hidden-visually">{label}</span>
    </div>
  );
}
