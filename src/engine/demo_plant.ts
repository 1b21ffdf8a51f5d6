// The demo's plant: what twenty inverters, a battery and a meter do under a sky, step by step.
import type { Dice } from "../base/dice.ts";
import { Battery } from "./demo_battery.ts";
import { type Incident, incidentsOf, solarDay } from "./demo_incident.ts";
import { demo_place, type Weather, weatherAt } from "./demo_weather.ts";

/** The plant's size: five blocks of four inverters of 1 MW AC, each with 1.3 MW of modules. */
export const size = {
  blocks: 5,
  inverters: 20,
  per_block: 4,
  mets: 2,
  trackers: 5,
  racks: 2,
  inverter_ac_w: 1_000_000,
  inverter_dc_w: 1_300_000,
  plant_ac_w: 20_000_000,
} as const;

/** The block (from 0) of each met station. */
export const met_blocks = [0, 3] as const;

/** Codes of an inverter's operating status. */
export const inverter_status = { standby: 0, producing: 1, limited: 2, fault: 3, off: 4 } as const;

const gamma = -0.0035;
const dc_losses = 0.035;
const efficiency = 0.982;
const transformer = 0.988;
const house_w = 45_000;
const curtailed_w = 9_500_000;
const register = 2 ** 32;

/** One inverter's present state; `energy_wh` is its 32-bit register. */
export type Inverter = {
  readonly block: number;
  /** 1 is as modelled; one of the twenty has soiled or broken strings. */
  readonly health: number;
  ac_w: number;
  dc_w: number;
  model_w: number;
  energy_wh: number;
  temp_c: number;
  status: number;
  fault_word: number;
};

/** The plant at an instant. It only goes forward; counters add up what happened in between. */
export class DemoPlant {
  readonly #dice: Dice;
  readonly #first_day: number;
  readonly inverters: readonly Inverter[];
  readonly battery: Battery;
  at_s: number;
  weather!: Weather;
  setpoint_w: number = size.plant_ac_w;
  export_w = 0;
  delivered_wh = 41_200_000_000;
  received_wh = 380_000_000;
  rain_mm = 0;
  voltage_v = 34_500;
  frequency_hz = 60;
  #incidents: readonly Incident[] = [];
  #day = NaN;

  /** The plant at `at_s` (seconds since 1970 UTC), when its demo begins. */
  constructor(dice: Dice, at_s: number) {
    this.#dice = dice;
    this.#first_day = solarDay(at_s);
    this.at_s = at_s;
    this.battery = new Battery();
    this.inverters = Array.from({ length: size.inverters }, (_, i) => newInverter(dice, i));
    this.advance(0);
  }

  /** Incidents of today and yesterday: those that can be going on now. */
  get incidents(): readonly Incident[] {
    return this.#incidents;
  }

  /** The first one of a kind that goes on now at a target. */
  incident(kind: Incident["kind"], target: number): Incident | undefined {
    for (const it of this.#incidents) {
      if (it.kind === kind && it.target === target && it.from_s <= this.at_s) {
        if (this.at_s < it.to_s) return it;
      }
    }
    return undefined;
  }

  /** Moves on by `step_s` and works out everything anew. */
  advance(step_s: number): void {
    this.at_s += step_s;
    this.#meetDay();
    this.weather = weatherAt(this.#dice, { at_s: this.at_s, blocks: size.blocks });
    const curtailed = this.incident("curtailment", 0) !== undefined;
    this.setpoint_w = curtailed ? curtailed_w : size.plant_ac_w;
    const limit_w = this.setpoint_w / size.inverters;
    this.inverters.forEach((_, i) => this.#runInverter(i, { limit_w, step_s }));
    this.#runGrid(step_s);
  }

  #meetDay(): void {
    const day = solarDay(this.at_s);
    if (day === this.#day) return;
    this.#day = day;
    const crowd = { inverters: size.inverters, blocks: size.blocks, mets: size.mets };
    this.#incidents = [day - 1, day].flatMap((it) =>
      it < this.#first_day
        ? []
        : incidentsOf(this.#dice, { day: it, first_day: this.#first_day, crowd })
    );
  }

  #runInverter(i: number, { limit_w, step_s }: { limit_w: number; step_s: number }): void {
    const inverter = this.inverters[i];
    const { ambient_c, wind_ms } = this.weather;
    const poa = this.weather.poa[inverter.block];
    const cell_c = ambient_c + poa / (25 + 6.84 * wind_ms);
    const heat = 1 + gamma * (cell_c - 25);
    const able_dc_w = poa / 1000 * size.inverter_dc_w * heat * (1 - dc_losses);
    inverter.model_w = Math.min(size.inverter_ac_w, acOf(able_dc_w));
    const flicker = 1 + 0.004 * this.#dice.curve(300 + i, this.at_s / 60);
    const free_w = Math.min(size.inverter_ac_w, acOf(able_dc_w * inverter.health * flicker));
    const tripped = this.incident("trip", i) !== undefined;
    const dark = this.incident("outage", inverter.block) !== undefined;
    inverter.ac_w = tripped || dark ? 0 : Math.min(free_w, limit_w);
    inverter.dc_w = inverter.ac_w === 0 ? 0 : inverter.ac_w / efficiency + 4000;
    inverter.energy_wh = (inverter.energy_wh + inverter.ac_w * step_s / 3600) % register;
    inverter.fault_word = (tripped ? 0b100 : 0) | (dark ? 0b1_0000_0000 : 0);
    inverter.status = statusOf(inverter, { tripped, dark, limited: free_w > limit_w });
    const target_c = ambient_c + 12 + 30 * inverter.ac_w / size.inverter_ac_w;
    inverter.temp_c += (target_c - inverter.temp_c) * Math.min(1, step_s / 1200);
  }

  #runGrid(step_s: number): void {
    const pv_w = this.inverters.reduce((sum, it) => sum + it.ac_w, 0);
    const hour = ((this.at_s + demo_place.solar_offset_s) % 86_400) / 3600;
    this.battery.advance({ hour, pv_w, ambient_c: this.weather.ambient_c, step_s });
    this.export_w = (pv_w + this.battery.power_w) * transformer - house_w;
    const energy_wh = this.export_w * step_s / 3600;
    if (energy_wh > 0) this.delivered_wh += energy_wh;
    else this.received_wh -= energy_wh;
    const load = this.export_w / size.plant_ac_w;
    this.voltage_v = 34_500 * (1 + 0.012 * load + 0.004 * this.#dice.curve(20, this.at_s / 600));
    this.frequency_hz = 60 + 0.02 * this.#dice.curve(21, this.at_s / 45);
    const wet = this.#dice.curve(22, this.at_s / 20_000) - 0.86;
    if (wet > 0) this.rain_mm += wet * 25 * step_s / 3600;
  }
}

function newInverter(dice: Dice, i: number): Inverter {
  const worn = i === 12 ? 0.89 : 1;
  return {
    block: Math.floor(i / size.per_block),
    health: worn * (0.965 + 0.025 * dice.unit(30, i)),
    ac_w: 0,
    dc_w: 0,
    model_w: 0,
    // The seventh wraps around within the first days.
    energy_wh: i === 6 ? register - 15_000_000 : Math.floor(3e9 * dice.unit(31, i)),
    temp_c: 20,
    status: inverter_status.standby,
    fault_word: 0,
  };
}

function acOf(dc_w: number): number {
  return Math.max(0, dc_w - 4000) * efficiency;
}

type Trouble = { readonly tripped: boolean; readonly dark: boolean; readonly limited: boolean };

function statusOf(inverter: Inverter, { tripped, dark, limited }: Trouble): number {
  if (tripped) return inverter_status.fault;
  if (dark) return inverter_status.off;
  if (inverter.ac_w === 0) return inverter_status.standby;
  return limited ? inverter_status.limited : inverter_status.producing;
}
