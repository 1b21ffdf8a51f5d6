// The demo's forecast: each morning what the meter will read in the hours of the next two days.
import type { Dice } from "../../base/random.ts";
import type { ForecastBatch } from "../../model/samples/sample.ts";
import { Battery } from "./battery.ts";
import { type DemoPlant, exportOf, inverterPower, size } from "./plant.ts";
import { demo_place, weatherAt } from "./weather.ts";

/** The tag that it is of, in MW. */
const tag = "MTR-01.P";
/** When it is issued: before the sun rises. */
const issue_utc_h = 11;
const hours = 48;
const hour_s = 3600;
const day_s = 86_400;
const second_us = 1_000_000n;
/** How many moments of an hour its sky is looked at: clouds come out as their mean. */
const looks = 3;
/** What it takes inverters' health for. */
const health = 0.97;

/** Whether a run is issued at this second. */
export function isForecastTime(at_s: number): boolean {
  return at_s % day_s === issue_utc_h * hour_s;
}

/** The run that is issued now. It knows the sky, but not exactly, and nothing of incidents. */
export function forecastRun(dice: Dice, plant: DemoPlant): ForecastBatch {
  const issued_s = plant.at_s;
  const first_s = Math.ceil((issued_s + 1) / hour_s) * hour_s;
  const battery = Object.assign(new Battery(), plant.battery);
  const begins = Array.from({ length: hours }, (_, i) => first_s + i * hour_s);
  const value = begins.map((at_s) => {
    const hour = ((at_s + hour_s / 2 + demo_place.solar_offset_s) % day_s) / hour_s;
    const error = (0.04 + 0.06 * (at_s - issued_s) / day_s) *
      dice.curve(40, at_s / 9000 + issued_s);
    const { pv_w, ambient_c } = skyOf(dice, at_s);
    const seen_w = Math.min(size.plant_ac_w, pv_w * (1 + error));
    battery.advance({ hour, pv_w: seen_w, ambient_c, step_s: hour_s });
    return exportOf(seen_w, battery.power_w) / 1e6;
  });
  return {
    lane: "forecast",
    rows: hours,
    tags: [tag],
    tag: new Int32Array(hours),
    ts: BigInt64Array.from(begins, (at_s) => BigInt(at_s) * second_us),
    issued_at: new BigInt64Array(hours).fill(BigInt(issued_s) * second_us),
    value: Float64Array.from(value),
    line: Int32Array.from({ length: hours }, (_, i) => i + 1),
  };
}

/** What all inverters would give in an hour, and how warm the air is. */
function skyOf(dice: Dice, from_s: number) {
  let pv_w = 0;
  let ambient_c = 0;
  for (let look = 0; look < looks; look++) {
    const at_s = from_s + (look + 0.5) / looks * hour_s;
    const weather = weatherAt(dice, { at_s, blocks: size.blocks });
    for (let block = 0; block < size.blocks; block++) {
      pv_w += size.per_block * inverterPower(weather, { block, health }) / looks;
    }
    ambient_c += weather.ambient_c / looks;
  }
  return { pv_w, ambient_c };
}
