import "./views.css";
interface Props<V extends string> {
  label: string;
  views: readonly (readonly [V, string])[];
  shown: V;
  onChoose: (view: V) => void;
}

/** Two or three ways to look at the same thing. */
export function Views<V extends string>({ label, views, shown, onChoose }: Props<V>) {
  return (
    <div className="views" role="group" aria-label={label}>
      {views.map(([view, name]) => (
        <button key={view} type="button" className="view" aria-pressed={view === shown} onClick={() => onChoose(view)}>
          {name}
        </button>
      ))}
    </div>
  );
}
