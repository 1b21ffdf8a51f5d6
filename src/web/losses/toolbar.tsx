// Which days are looked at.
import { change, param } from "../frame/place.ts";
import { DayInput } from "../parts/form.tsx";
import { type Days, lengthOf, presets, type Range } from "./range.ts";
import { say } from "./say.ts";
import { lastDay, nothing_selected } from "./view.ts";

/** The named ranges, and the days of another one. */
export function Toolbar({ range }: { readonly range: Range }) {
  const { from, to, preset } = range;
  const set = (days: Partial<Days>) =>
    change({ ...nothing_selected, range: undefined, from, to, ...days });
  return (
    <div class="row range-bar" role="group" aria-label={say().range}>
      {presets.map((name) => (
        <button
          type="button"
          aria-pressed={name === preset}
          onClick={() =>
            change({ ...nothing_selected, range: name, from: undefined, to: undefined })}
        >
          {say()[`range_${name}`]}
        </button>
      ))}
      <label>
        {say().from} <DayInput value={from} max={lastDay()} onDay={(from) => set({ from })} />
      </label>
      <label>
        {say().to} <DayInput value={to} max={lastDay()} onDay={(to) => set({ to })} />
      </label>
      <span class="quiet">
        {say().whole_days(lengthOf(range))}
        {param("at") !== undefined && ` · ${say().whole_days_at}`}
      </span>
    </div>
  );
}
