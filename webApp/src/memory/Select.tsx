interface Props {
  label: string;
  value: string;
  choices: readonly (readonly [value: string, name: string])[];
  onChange: (value: string) => void;
  disabled?: boolean;
}

export function Select({ label, value, choices, onChange, disabled }: Props) {
  return (
    <label className="field">
      <span>{label}</span>
      <select className="input" value={value} disabled={disabled} onChange={(event) => onChange(event.target.value)}>
        {choices.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The words for a set of values, with one more in front for any of them. */
export const anyOf = (names: Record<string, string>, any: string): [string, string][] => [["", any], ...Object.entries(names)];
