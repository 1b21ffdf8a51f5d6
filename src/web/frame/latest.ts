// The newest value of each sensor, by what it was sent at.
import type { Rows } from "./api.ts";

/** A value, and when it came. */
export type Latest = { readonly value: number; readonly ts_ms: number };

/** Of each sensor the last value that came: one that is carried on is as old as what it repeats. */
export function latestOf(rows: Rows): ReadonlyMap<string, Latest> {
  const [sensors, instants] = [rows.texts("hierarchy_id"), rows.numbers("ts")];
  const [floats, integers] = [rows.numbers("value"), rows.numbers("value_int")];
  const carried = rows.numbers("carried");
  const found = new Map<string, Latest>();
  for (let i = 0; i < rows.length; i++) {
    const value = Number.isNaN(floats[i]) ? integers[i] : floats[i];
    const came = carried[i] === 0 && !Number.isNaN(value);
    if (came) found.set(sensors[i]!, { value, ts_ms: instants[i] });
  }
  return found;
}
