// What is shown of inverters: the time, the measure, the order, and which of them.
import { moment_ms } from "../frame/clock.ts";
import { change, param } from "../frame/place.ts";
import { blocks } from "../frame/plant.ts";
import { zone } from "../frame/session.ts";
import { dayAfter, dayOf, longDateText, monthText, offsetText, timeText } from "../frame/zone.ts";
import { DayInput } from "../parts/form.tsx";
import { sorts } from "./cells.ts";
import { nameOfMeasure, say } from "./say.ts";
import {
  type MapRange,
  type MapSpan,
  measuresOf,
  shownDay,
  shownMeasure,
  shownSort,
} from "./view.ts";

/** The line above the map. */
export function MapToolbar({ range }: { readonly range: MapRange }) {
  return (
    <form class="toolbar" onSubmit={(event) => event.preventDefault()}>
      <RangeChoice range={range} />
      <DayChoice range={range} />
      <Choice
        label={say().shown}
        name="show"
        value={shownMeasure()}
        options={[
          ["shortfall", say().show_shortfall],
          ["peers", say().show_peers],
          ...[...measuresOf().keys()].map((it) =>
            [it, say().show_measure(nameOfMeasure(it))] as const
          ),
        ]}
      />
      <Choice
        label={say().sort}
        name="sort"
        value={shownSort()}
        options={sorts.map((it) => [it, say()[`sort_${it}`]])}
      />
      {blocks.value.size > 1 && (
        <Choice
          label={say().block}
          name="block"
          value={param("block") ?? ""}
          options={[
            ["", say().all_blocks],
            ...[...blocks.value.values()].map(({ key, name }) => [key, name] as const),
          ]}
        />
      )}
      <label>
        {say().find}
        <input
          type="search"
          placeholder={say().find_hint}
          value={param("find") ?? ""}
          onInput={({ currentTarget }) => change({ find: currentTarget.value })}
        />
      </label>
    </form>
  );
}

/** What a choice has where the address does not name it. */
const defaults = ["shortfall", "name", ""];

function Choice({ label, name, value, options }: {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
}) {
  return (
    <label>
      {label}
      <select
        value={value}
        onChange={({ currentTarget: { value } }) =>
          change({ [name]: defaults.includes(value) ? undefined : value })}
      >
        {options.map(([value, text]) => <option value={value}>{text}</option>)}
      </select>
    </label>
  );
}

function RangeChoice({ range }: { readonly range: MapRange }) {
  const button = (kind: MapRange["kind"]) => (
    <button
      type="button"
      aria-pressed={range.kind === kind}
      onClick={() =>
        change({
          range: kind === "month" ? kind : undefined,
          from: undefined,
          to: undefined,
          cell: undefined,
        })}
    >
      {say()[kind]}
    </button>
  );
  return <span class="segments" role="group">{button("day")}{button("month")}</span>;
}

/** The day or month, and the ones beside it; none after the moment. */
function DayChoice({ range }: { readonly range: MapRange }) {
  const today = dayOf(moment_ms.value, zone.value);
  const is_month = range.kind === "month";
  const go = (day: string) =>
    change({
      day: day < today ? day : undefined,
      from: undefined,
      to: undefined,
      cell: undefined,
    });
  const [before, after] = is_month
    ? [dayAfter(range.from, -1), dayAfter(range.from, 32).slice(0, 8) + "01"]
    : [dayAfter(range.from, -1), dayAfter(range.from)];
  return (
    <span class="days">
      <button type="button" aria-label={say().previous} onClick={() => go(before)}>‹</button>
      {is_month
        ? <b>{monthText(range.from)}</b>
        : <DayInput label={say().day} value={shownDay()} max={today} onDay={go} />}
      <button
        type="button"
        aria-label={say().next}
        disabled={after > today}
        onClick={() => go(after)}
      >
        ›
      </button>
      {range.zoom && (
        <button
          type="button"
          onClick={() => change({ from: undefined, to: undefined })}
        >
          {say().zoomed(
            timeText(range.zoom.from_ms, zone.value),
            timeText(range.zoom.to_ms, zone.value),
          )} · {say().zoom_out}
        </button>
      )}
    </span>
  );
}

/** The range in words, for titles. */
export function rangeText({ kind, from, zoom }: MapRange): string {
  if (kind === "month") return monthText(from);
  const noon = Date.parse(`${from}T12:00Z`);
  const day = longDateText(noon, "UTC");
  if (!zoom) return day;
  return `${day}, ${timeText(zoom.from_ms, zone.value)}–${timeText(zoom.to_ms, zone.value)}`;
}

/** A cell's time in words. */
export function cellSpanText({ from_ms, to_ms }: MapSpan, { kind }: MapRange): string {
  if (kind === "month") return longDateText(from_ms, zone.value);
  const span = `${timeText(from_ms, zone.value)}–${timeText(to_ms, zone.value)}`;
  return `${longDateText(from_ms, zone.value)}, ${span} ${offsetText(from_ms, zone.value)}`;
}
