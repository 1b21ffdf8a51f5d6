// What each inverter does at the moment that is looked at: its newest power, and whether it is out.
import type { Alarm } from "../alarm/alarm.ts";
import { alarms } from "../alarms/store.ts";
import { getRows } from "../frame/api.ts";
import { at_ms, moment_ms } from "../frame/clock.ts";
import { liveOf } from "../frame/live.ts";
import { useLoad } from "../frame/load.ts";
import { type Device, devicesOf, sensorOf } from "../frame/plant.ts";
import { project } from "../frame/session.ts";
import { type Newest, outReason } from "./out.ts";

/** How far back the last whole minute is looked for. */
const back_ms = 5 * 60_000;

/** An inverter's newest power, and by what it is out of service: an alarm's name, or its state. */
export type InverterNow = { readonly newest?: Newest; readonly out?: string };

/** Of each inverter by its id; live values, in a replay those of the last whole minute. */
export function useNow(out_ids: ReadonlySet<string> = new Set()): ReadonlyMap<string, InverterNow> {
  const inverters = devicesOf("inverter");
  const then = usePowersThen(inverters).data;
  const all: readonly Alarm[] = alarms.value.data ?? [];
  return new Map(inverters.map(({ device_id, hierarchy_id }) => {
    const id = hierarchy_id ?? "";
    const newest = at_ms.value === undefined ? livePower(id) : then?.get(id);
    const is_state_out = out_ids.has(id);
    const own = all.filter((it) => it.device_id === device_id);
    return [device_id, { newest, out: outReason({ newest, alarms: own, is_state_out }) }];
  }));
}

function livePower(hierarchy_id: string): Newest | undefined {
  const found = liveOf(hierarchy_id).value;
  if (typeof found?.value !== "number") return undefined;
  return { power_w: found.value, ts_ms: Date.parse(found.ts) };
}

/** The means of the last whole minute before a moment of the past. */
function usePowersThen(inverters: readonly Device[]) {
  const tags = inverters.flatMap((it) => sensorOf(it, "active_power")?.sensor_tag ?? []);
  const key = at_ms.value === undefined || tags.length === 0
    ? undefined
    : [project.value!.id, tags, at_ms.value] as const;
  return useLoad(key, async ([project_id, tag], signal) => {
    const to_ms = Math.floor(moment_ms.peek() / 60_000) * 60_000;
    const rows = await getRows("/platform/v1/signals", {
      project_id,
      tag,
      lane: "performance",
      resolution: "1m",
      from: new Date(to_ms - back_ms).toISOString(),
      to: new Date(to_ms).toISOString(),
      columns: "hierarchy_id,ts,value",
      limit: 100_000,
    }, signal);
    const [ids, instants] = [rows.texts("hierarchy_id"), rows.numbers("ts")];
    const powers = rows.numbers("value");
    const found = new Map<string, Newest>();
    ids.forEach((id, i) => {
      if (id === null || Number.isNaN(powers[i])) return;
      found.set(id, { power_w: powers[i], ts_ms: instants[i] });
    });
    return found;
  });
}
