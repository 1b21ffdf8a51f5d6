// What the page of inverters shows, as the address says it.
import { at_ms, moment_ms } from "../frame/clock.ts";
import { addressOf, change, open, param, type PlaceParams } from "../frame/place.ts";
import { deviceOf, devicesOf } from "../frame/plant.ts";
import { zone } from "../frame/session.ts";
import { type Sort, sorts } from "./cells.ts";
import { dayAfter, dayOf, dayStart } from "../frame/zone.ts";

/** A span of time. */
export type MapSpan = { readonly from_ms: number; readonly to_ms: number };

/** The days that are shown, both included, and by which buckets. */
export type MapRange = {
  readonly kind: "day" | "month";
  readonly from: string;
  readonly to: string;
  /** Only this of the day: by minute or by five minutes. */
  readonly zoom: MapSpan | undefined;
  readonly interval: "OneDay" | "FifteenMinutes" | "FiveMinutes" | "OneMinute";
};

/** The day that is shown; never one after the moment. */
export function shownDay(): string {
  const today = dayOf(moment_ms.value, zone.value);
  const day = param("day") ?? today;
  return /^\d{4}-\d\d-\d\d$/.test(day) && day < today ? day : today;
}

/** The span of time that is shown. */
export function mapRange(): MapRange {
  const day = shownDay();
  if (param("range") !== "month") {
    const zoom = zoomOf(day);
    return {
      kind: "day",
      from: day,
      to: day,
      zoom,
      interval: zoom ? finer(zoom) : "FifteenMinutes",
    };
  }
  const first = `${day.slice(0, 7)}-01`;
  const next = `${dayAfter(first, 31).slice(0, 7)}-01`;
  const [last, today] = [dayAfter(next, -1), dayOf(moment_ms.value, zone.value)];
  const to = last < today ? last : today;
  return { kind: "month", from: first, to, zoom: undefined, interval: "OneDay" };
}

/** Whether whole days, as exports have them, would tell what is later than the replay's moment. */
export function tellsLater({ to }: MapRange): boolean {
  return at_ms.value !== undefined && dayOf(at_ms.value, zone.value) <= to;
}

/** When a bucket of the range ends. */
export function endOf({ interval }: MapRange): (start_ms: number) => number {
  if (interval === "OneDay") {
    const at = zone.peek();
    return (start_ms) => dayStart(dayAfter(dayOf(start_ms, at)), at);
  }
  const minutes = { FifteenMinutes: 15, FiveMinutes: 5, OneMinute: 1 }[interval];
  return (start_ms) => start_ms + minutes * 60_000;
}

/** What the cells show: `shortfall`, `peers`, or a measure's name. */
export function shownMeasure(): string {
  return param("show") ?? "shortfall";
}

/** The order of the rows. */
export function shownSort(): Sort {
  return sorts.find((it) => it === param("sort")) ?? "name";
}

/** The inverter that is looked at. */
export function shownDevice() {
  const device = deviceOf(param("device"));
  return device?.type === "inverter" ? device : undefined;
}

/** The cell of it that is looked at: of the shown buckets' length from an instant on. */
export function shownCell(range: MapRange): MapSpan | undefined {
  const from_ms = Date.parse(param("cell") ?? "");
  if (!Number.isFinite(from_ms)) return undefined;
  return { from_ms, to_ms: endOf(range)(from_ms) };
}

/** The measures that inverters have, by name, with their units. */
export function measuresOf(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { sensors } of devicesOf("inverter")) {
    for (const { component, component_measure, unit, value_encoding } of sensors) {
      if (component !== "inverter" || value_encoding === "string") continue;
      found.set(component_measure, unit ?? "");
    }
  }
  return found;
}

/** Opens an inverter, or a cell of it: as a step of its own where it takes the whole screen. */
export function select(params: PlaceParams): void {
  if (matchMedia("(max-width: 720px)").matches) open("inverters", placeWith(params));
  else change(params);
}

/** The parameters of this page with some changed. */
export function placeWith(params: PlaceParams): PlaceParams {
  return { ...kept(), ...params };
}

/** The address of this page with other parameters. */
export function hereWith(params: PlaceParams): string {
  return addressOf("inverters", placeWith(params));
}

/** An instant as addresses have it. */
export function addressTime(at_ms: number): string {
  return new Date(at_ms).toISOString().slice(0, 16) + "Z";
}

const names = ["range", "day", "from", "to", "show", "sort", "block", "find", "device", "cell"];

function kept(): PlaceParams {
  return Object.fromEntries(names.map((name) => [name, param(name)]));
}

function zoomOf(day: string): MapSpan | undefined {
  const [from_ms, to_ms] = [param("from"), param("to")].map((it) => Date.parse(it ?? ""));
  const is_of_day = dayOf(Number.isFinite(from_ms) ? from_ms : 0, zone.value) === day;
  return is_of_day && from_ms < to_ms ? { from_ms, to_ms } : undefined;
}

function finer({ from_ms, to_ms }: MapSpan): MapRange["interval"] {
  return to_ms - from_ms > 4 * 3_600_000 ? "FiveMinutes" : "OneMinute";
}
