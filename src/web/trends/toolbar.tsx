// What one chooses the span by: presets, ends, steps to the side, comparison, resolution.
import { zone } from "../frame/session.ts";
import { change, param } from "../frame/place.ts";
import { instantOf, offsetMinutes } from "../frame/zone.ts";
import { moved, zoomed } from "../frame/span.ts";
import { say } from "./say.ts";
import { type Preset, presets, step_names, stepFor, usual_preset } from "./span.ts";
import { days_before, last_ms, settled, show, showLast, span, wanted_step } from "./view.ts";

/** The choices beside the drawing; on a phone the last ones stand below it. */
export function Toolbar() {
  return (
    <>
      <div class="toolbar">
        <Presets />
        <Sides />
      </div>
      <div class="toolbar more">
        <Ends />
        <Compare />
        <Resolution />
      </div>
    </>
  );
}

function Presets() {
  const current = param("from") === undefined ? param("range") ?? usual_preset : undefined;
  return (
    <div class="row" role="group" aria-label={say().range}>
      {(Object.keys(presets) as Preset[]).map((it) => (
        <button
          type="button"
          aria-pressed={it === current}
          onClick={() => showLast(it)}
        >
          {say()[`preset_${it}`]}
        </button>
      ))}
    </div>
  );
}

/** The two ends of the span, on the plant's clock. */
function Ends() {
  const { from_ms, to_ms } = settled.value;
  const localOf = (at: number) =>
    new Date(at + offsetMinutes(at, zone.value) * 60_000).toISOString().slice(0, 16);
  const end = (name: "from_ms" | "to_ms", label: string) => (
    <label>
      <span>{label}</span>
      <input
        type="datetime-local"
        value={localOf(settled.value[name])}
        max={localOf(last_ms.value)}
        onChange={({ currentTarget }) => {
          const next = { from_ms, to_ms, [name]: instantOf(currentTarget.value, zone.value) };
          if (next.from_ms < next.to_ms) show(next);
        }}
      />
    </label>
  );
  return (
    <div class="row">
      {end("from_ms", say().from)}
      {end("to_ms", say().to)}
    </div>
  );
}

function Sides() {
  const button = (sign: string, label: string, onClick: () => void, disabled = false) => (
    <button type="button" {...{ onClick, disabled }} aria-label={label} title={label}>
      {sign}
    </button>
  );
  const isLast = span.value.to_ms >= last_ms.value;
  return (
    <div class="row">
      {button("◀", say().earlier, () => show(moved(span.value, -0.5)))}
      {button("▶", say().later, () => show(moved(span.value, 0.5)), isLast)}
      {button("+", say().closer, () => show(zoomed(span.value, 0.5)))}
      {button("−", say().farther, () => show(zoomed(span.value, 2)))}
    </div>
  );
}

const comparisons = [1, 2, 7, 14, 28, 364];

/** Which other days the same curves are drawn from. */
function Compare() {
  const chosen = days_before.value.join(",");
  const offered = [...new Set([...comparisons.map(String), ...(chosen ? [chosen] : [])])];
  return (
    <label>
      <span>{say().compare}</span>
      <select
        value={chosen}
        onChange={({ currentTarget }) => change({ compare: currentTarget.value || undefined })}
      >
        <option value="">{say().compare_none}</option>
        {offered.map((it) => (
          <option value={it}>
            {it.split(",").map((days) => say().compare_days(Number(days))).join(", ")}
          </option>
        ))}
      </select>
    </label>
  );
}

/** In which steps the data are read: those that fit the span, or always the same. */
function Resolution() {
  return (
    <label>
      <span>{say().resolution}</span>
      <select
        value={wanted_step.value ?? ""}
        onChange={({ currentTarget }) => change({ step: currentTarget.value || undefined })}
      >
        <option value="">{say().step_auto(say()[`step_${stepFor(span.value)}`])}</option>
        {step_names.map((it) => <option value={it}>{say()[`step_${it}`]}</option>)}
      </select>
    </label>
  );
}
