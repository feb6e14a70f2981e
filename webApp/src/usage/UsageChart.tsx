import { useRef, useState, type KeyboardEvent } from "react";
import { strings } from "../strings";
import { dayName, number, short, type Chart, type Day } from "./days";

const words = strings.usage;
const HEIGHT = 100;
const WIDTH = 0.76; // of a day

/** A bar per day. One stop for the Tab key, the arrows go from day to day; what a bar says is also said below it. */
export function UsageChart({ chart, total }: { chart: Chart; total: number }) {
  const { days, series, top } = chart;
  const [shown, setShown] = useState<number | null>(null);
  const ref = useRef<SVGSVGElement>(null);
  const stop = shown !== null && shown < days.length ? shown : days.length - 1;

  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowLeft: stop - 1, ArrowRight: stop + 1, Home: 0, End: days.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    ref.current?.querySelectorAll<SVGGElement>("g")[Math.max(0, Math.min(next, days.length - 1))]?.focus();
  };
  const marks = [0, Math.floor((days.length - 1) / 2), days.length - 1].filter((each, index, all) => all.indexOf(each) === index);
  return (
    <div className="usage-chart">
      <div className="usage-axis" aria-hidden="true">
        <span>{short(top)}</span>
        <span>{short(top / 2)}</span>
        <span>0</span>
      </div>
      <svg
        ref={ref}
        className="usage-bars"
        viewBox={`0 0 ${Math.max(days.length, 1)} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="group"
        aria-label={words.chart(days.length, number(total))}
        onKeyDown={onKeyDown}
        onPointerLeave={() => setShown(null)}
      >
        {days.map((day, index) => (
          <g
            key={day.day}
            role="img"
            aria-label={spoken(day, series)}
            tabIndex={index === stop ? 0 : -1}
            data-shown={index === shown}
            onFocus={() => setShown(index)}
            onPointerEnter={() => setShown(index)}
          >
            <rect className="usage-day" x={index} y="0" width="1" height={HEIGHT} />
            {stackOf(day, top).map(({ y, height }, which) => (
              <rect key={which} data-series={which + 1} x={index + (1 - WIDTH) / 2} y={y} width={WIDTH} height={height} />
            ))}
          </g>
        ))}
      </svg>
      <div className="usage-days" aria-hidden="true">
        {marks.map((index) => (
          <span key={index}>{days[index] && dayName(days[index].day)}</span>
        ))}
      </div>
      <ul className="usage-legend">
        {series.map((name, index) => (
          <li key={name}>
            <span className="usage-swatch" data-series={index + 1} />
            {name}
          </li>
        ))}
      </ul>
      <p className="usage-readout" aria-hidden="true">
        {shown !== null && days[shown] ? spoken(days[shown], series) : words.hint}
      </p>
    </div>
  );
}

function spoken(day: Day, series: string[]): string {
  const parts = series.map((name, index) => [name, day.values[index] ?? 0] as const).filter(([, tokens]) => tokens > 0);
  const split = parts.length > 1 ? ` (${parts.map(([name, tokens]) => `${name} ${number(tokens)}`).join(", ")})` : "";
  return words.day(dayName(day.day), number(day.total), day.turns) + split;
}

/** From the bottom up. */
function stackOf({ values }: Day, top: number): { y: number; height: number }[] {
  let y = HEIGHT;
  return values.map((tokens) => {
    const height = (tokens / top) * HEIGHT;
    y -= height;
    return { y, height };
  });
}
