import { strings } from "../strings";

const words = strings.account;

/** How many rows of each kind; kinds that none of the columns has any of are left out. */
export function CountTable({ columns }: { columns: [name: string, counts: Record<string, number>][] }) {
  const kinds = [...new Set(columns.flatMap(([, counts]) => Object.keys(counts)))].filter((kind) =>
    columns.some(([, counts]) => (counts[kind] ?? 0) > 0),
  );
  return (
    <table className="counts">
      <thead>
        <tr>
          <th scope="col">{words.kindOfRow}</th>
          {columns.map(([name]) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {kinds.map((kind) => (
          <tr key={kind}>
            <th scope="row">{words.kinds[kind] ?? kind}</th>
            {columns.map(([name, counts]) => (
              <td key={name}>{(counts[kind] ?? 0).toLocaleString("en")}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
