import type { Usage } from "../api/types";
import { strings } from "../strings";
import { dayName, number, sumsOf } from "./days";
import "./tables.css";

const words = strings.usage;
const { columns } = words;

export function SumsTable({ usage }: { usage: Usage }) {
  const { totals } = usage;
  return (
    <div className="usage-scroll" tabIndex={0} role="region" aria-label={words.byTitle}>
      <table className="usage-table">
        <caption>{words.byTitle}</caption>
        <Head names={[columns.agent, columns.model, columns.turns, columns.read, columns.written, columns.total]} texts={2} />
        <tbody>
          {sumsOf(usage.rows).map((sum) => (
            <tr key={`${sum.agent} ${sum.model}`}>
              <th scope="row">{sum.agent}</th>
              <td data-text="true">{sum.model}</td>
              <td>{number(sum.turns)}</td>
              <td>{number(sum.read)}</td>
              <td>{number(sum.written)}</td>
              <td>{number(sum.total)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{words.totals}</th>
            <td />
            <td>{number(totals.turns)}</td>
            <td>{number(totals.input_tokens)}</td>
            <td>{number(totals.output_tokens)}</td>
            <td>{number(totals.total_tokens)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

/** All that the chart shows, newest first. */
export function DaysTable({ usage }: { usage: Usage }) {
  return (
    <details className="usage-details">
      <summary>{words.table}</summary>
      <div className="usage-scroll" tabIndex={0} role="region" aria-label={words.table}>
        <table className="usage-table">
          <Head names={[columns.day, columns.agent, columns.model, columns.turns, columns.read, columns.written, columns.behind, columns.total]} texts={3} />
          <tbody>
            {[...usage.rows].reverse().map((row) => (
              <tr key={`${row.day} ${row.agent_name} ${row.model}`}>
                <th scope="row">{dayName(row.day)}</th>
                <td data-text="true">{row.agent_name}</td>
                <td data-text="true">{row.model}</td>
                <td>{number(row.turns)}</td>
                <td>{number(row.input_tokens)}</td>
                <td>{number(row.output_tokens)}</td>
                <td>{number(row.revision_tokens)}</td>
                <td>{number(row.total_tokens)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Head({ names, texts }: { names: string[]; texts: number }) {
  return (
    <thead>
      <tr>
        {names.map((name, index) => (
          <th key={name} scope="col" data-text={index < texts}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}
