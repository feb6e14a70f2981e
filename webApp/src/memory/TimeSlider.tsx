import { strings } from "../strings";
import { dayOf, minuteOf } from "./moments";

const words = strings.graph;
const STEPS = 1_000;
const DAY_MS = 86_400_000;

interface Props {
  span: [number, number];
  moment: number | null; // null: now
  onChange: (moment: number | null) => void;
}

/** From the first fact to now; at its end it is now, also later. */
export function TimeSlider({ span: [first, last], moment, onChange }: Props) {
  const place = moment === null ? STEPS : Math.round(((moment - first) / (last - first)) * STEPS);
  const spoken = last - first > 3 * DAY_MS ? dayOf : minuteOf;
  const said = moment === null ? words.now : spoken(moment);
  return (
    <label className="time-slider">
      <span className="small soft">{words.time}</span>
      <input
        type="range"
        min="0"
        max={STEPS}
        value={place}
        aria-valuetext={said}
        onChange={(event) => {
          const next = Number(event.target.value);
          onChange(next >= STEPS ? null : first + ((last - first) * next) / STEPS);
        }}
      />
      <output className="small">{said}</output>
    </label>
  );
}
