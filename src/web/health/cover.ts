// How much of each day was measured and could be compared with the expected values.
import type { Rows } from "../frame/api.ts";
import type { Device } from "../frame/plant.ts";

/** A component and its measure that has expected values. */
export type Pair = { readonly component: string; readonly measure: string };

/** The coverage of each day; NaN where there is none. */
export type Cover = { readonly id: string; readonly days: readonly number[] };

const components = ["inverter", "meter"];
const measures = ["active_power", "energy", "active_energy_delivered"];

/** The pairs of a plant, in the order in which they are shown. */
export function pairsOf(devices: readonly Device[]): Pair[] {
  const there = new Set(
    devices.flatMap((it) => it.sensors.map((of) => `${of.component}:${of.component_measure}`)),
  );
  return components.flatMap((component) => measures.map((measure) => ({ component, measure })))
    .filter((pair) => there.has(pairWord(pair)));
}

/** The pair's word in the address. */
export function pairWord({ component, measure }: Pair): string {
  return `${component}:${measure}`;
}

/** The coverage of groups by day: `starts` are the days' first instants. */
export function coversOf(
  rows: Rows,
  { group, starts }: { readonly group: string; readonly starts: readonly number[] },
): Cover[] {
  const [at, coverage, ids] = [rows.numbers("ts_utc"), rows.numbers("coverage"), rows.texts(group)];
  const found = new Map<string, number[]>();
  for (let i = 0; i < rows.length; i++) {
    const id = ids[i] ?? "";
    const days = found.get(id) ?? starts.map(() => NaN);
    found.set(id, days);
    const day = starts.indexOf(at[i]);
    if (day >= 0) days[day] = coverage[i];
  }
  return [...found].map(([id, days]) => ({ id, days }));
}

/** The mean of the days that are known; NaN where none is. */
export function meanOf(days: readonly number[]): number {
  const known = days.filter((it) => !Number.isNaN(it));
  return known.reduce((sum, it) => sum + it, 0) / known.length;
}

/** The least covered first; those of which nothing is known last. */
export function worstFirst(covers: readonly Cover[]): Cover[] {
  const rank = ({ days }: Cover) => {
    const mean = meanOf(days);
    return Number.isNaN(mean) ? 2 : mean;
  };
  return covers.toSorted((a, b) => rank(a) - rank(b));
}

/** How a day's coverage is marked; undefined where it is as it should be. */
export function gradeOf(share: number): "little" | "less" | undefined {
  if (Number.isNaN(share) || share >= 0.95) return undefined;
  return share < 0.5 ? "little" : "less";
}

/** Days before the first of which anything is covered tell nothing: the data begin there. */
export function sinceFirst(covers: readonly Cover[]): Cover[] {
  const first = Math.min(
    ...covers.map(({ days }) => days.findIndex((it) => it > 0)).filter((i) => i >= 0),
  );
  return covers.map(({ id, days }) => ({ id, days: days.map((it, i) => i < first ? NaN : it) }));
}
