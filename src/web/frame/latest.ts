// The newest value of each sensor, by what it was sent at.
import type { Rows } from "./api.ts";

/** A value, and when it came: undefined where that was before the rows. */
export type Latest = { readonly value: number; readonly ts_ms: number | undefined };

/** Of each sensor the last value: one that is carried on is as old as what it repeats. */
export function latestOf(rows: Rows): ReadonlyMap<string, Latest> {
  const [sensors, instants] = [rows.texts("hierarchy_id"), rows.numbers("ts")];
  const [floats, integers] = [rows.numbers("value"), rows.numbers("value_int")];
  const carried = rows.numbers("carried");
  const found = new Map<string, Latest>();
  for (let i = 0; i < rows.length; i++) {
    const value = Number.isNaN(floats[i]) ? integers[i] : floats[i];
    if (Number.isNaN(value)) continue;
    const ts_ms = carried[i] === 0 ? instants[i] : found.get(sensors[i]!)?.ts_ms;
    found.set(sensors[i]!, { value, ts_ms });
  }
  return found;
}
