// Which sensors are silent, stuck, dead or ahead of time now, and since when.
import type { Sensor } from "../../model/plant/plant.ts";
import { type HealthState, heardState } from "../../model/samples/health.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { sunAt } from "../../model/time/sun.ts";
import { minute_us } from "../../model/time/series.ts";
import type { Connection } from "../../store/connection.ts";
import { findFailedLights, findLightRuns } from "../../store/expected/light.ts";
import type { HeadSample } from "../../store/samples/head.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { isLight } from "../expected/weather.ts";
import type { Heads } from "../samples/head.ts";
import { holdOf } from "../samples/series.ts";

/** What health is told from. */
type HealthParts = { readonly catalog: Catalog; readonly heads: Heads };

/** Which sensors, and when. */
type HealthAsked = { readonly sensors: readonly Sensor[]; readonly now_us: number };

/** A sensor that can't be relied on, and its newest sample. */
export type Unwell = {
  readonly sensor: Sensor;
  readonly state: HealthState;
  readonly head: HeadSample | undefined;
};

const quarter_us = 15 * minute_us;
/** How far back the beginning of a run is looked for, one after the other. */
const run_looks_us = [86_400e6, sample_limits.head_look_us];

/** Those among some sensors that can't be relied on, in the same order. */
export async function findUnwell(
  connection: Connection,
  { catalog, heads }: HealthParts,
  { sensors, now_us }: HealthAsked,
): Promise<Unwell[]> {
  await heads.look(connection, sensors.map(({ tag_no }) => tag_no), now_us);
  const heard = sensors.map((sensor) => {
    const head = heads.of(sensor.tag_no);
    const hold_us = longestHold(catalog, sensor);
    return { sensor, head, hold_us, state: heardState(head?.ts, { now_us, hold_us }) };
  });
  const lights = heard.filter(({ sensor, state }) => state === undefined && isLight(sensor));
  const back_us = lights.reduce((most, { hold_us }) => Math.max(most, hold_us), 0) + 31 * minute_us;
  const failed = await findFailedLights(connection, {
    sensors: lights.map(({ sensor }) => (
      { ...sensor, altitude: altitudeAt(catalog, sensor, now_us) }
    )),
    from_minute: Math.floor((now_us - back_us) / minute_us),
  });
  return heard.flatMap(({ sensor, head, state: told }) => {
    const state = told ?? failed.get(sensor.sensor_no);
    return state ? [{ sensor, state, head }] : [];
  });
}

/** How old a sensor's newest sample can be; an interval's may lie at its start. */
function longestHold(catalog: Catalog, { tag_no, interval_s, interval_at }: Sensor): number {
  const intervals = interval_at === "start" ? 2 : 1;
  return holdOf(catalog.tag(tag_no)!) + (interval_s ?? 0) * intervals * 1_000_000;
}

/** The sun over a sensor in the quarter-hour of an instant, in degrees as the roll-up has it. */
function altitudeAt(catalog: Catalog, { site_no }: Sensor, at_us: number): number {
  const middle_us = (Math.floor(at_us / quarter_us) + 0.5) * quarter_us;
  return Math.round(90 - sunAt(catalog.placeOf(site_no), middle_us).zenith);
}

/** Since when each of them is as it is, by the number of its sensor; only where that is known. */
export async function beginnings(
  connection: Connection,
  { unwell, now_us }: { readonly unwell: readonly Unwell[]; readonly now_us: number },
): Promise<ReadonlyMap<number, number>> {
  const failed = unwell.filter(({ state }) => state === "stuck" || state === "dead");
  const since = await runsOf(connection, { sensors: failed.map((it) => it.sensor), now_us });
  for (const { sensor: { sensor_no }, state, head } of unwell) {
    if (head && state === "silent") since.set(sensor_no, head.ts);
    if (head && state === "ahead") since.set(sensor_no, head.received_at);
  }
  return since;
}

/** Since when irradiances show what they show. */
async function runsOf(
  connection: Connection,
  { sensors, now_us }: HealthAsked,
): Promise<Map<number, number>> {
  const since = new Map<number, number>();
  let left = sensors;
  for (const look_us of run_looks_us) {
    if (left.length === 0) break;
    const from_minute = Math.floor((now_us - look_us) / minute_us);
    const runs = await findLightRuns(connection, { sensors: left, from_minute });
    for (const run of runs) since.set(run.sensor_no, run.first_minute * minute_us);
    const whole = new Set(runs.filter(({ moved }) => moved).map(({ sensor_no }) => sensor_no));
    left = left.filter(({ sensor_no }) => !whole.has(sensor_no));
  }
  return since;
}
