// The demo's plant: what twenty inverters, a battery and a meter do under a sky, step by step.
import { Dice } from "../../base/random.ts";
import { Battery } from "./battery.ts";
import { type Incident, incidentsOf, liveIncidents, type Scene } from "./incident.ts";
import { type DemoPlace, solarDay, solarTime, storyPlace } from "./place.ts";
import type { DemoStory, LiveSpan } from "./story.ts";
import { type Weather, weatherAt } from "./weather.ts";

/** The plant's size: five blocks of four inverters of 1 MW AC, each with 1.5 MW of modules. */
export const size = {
  blocks: 5,
  inverters: 20,
  per_block: 4,
  mets: 2,
  trackers: 5,
  racks: 2,
  inverter_ac_w: 1_000_000,
  inverter_dc_w: 1_500_000,
  plant_ac_w: 20_000_000,
} as const;

/** Of the revenue meter's terminals. */
export const nominal_v = 34_500;

/** The block (from 0) of each met station. */
export const met_blocks = [0, 3] as const;

/** Codes of an inverter's operating status. */
export const inverter_status = {
  standby: 0,
  producing: 1,
  limited: 2,
  fault: 3,
  off: 4,
  derated: 5,
} as const;

/** Bits of an inverter's fault word. */
export const fault_bits = { overcurrent: 2, over_temperature: 5, no_grid: 8 } as const;

const gamma = -0.0035;
const dc_losses = 0.035;
const efficiency = 0.982;
const transformer = 0.988;
/** What the plant draws at night, and how high the sun is then: by day its inverters feed it. */
const night_w = 45_000;
const night_deg = -1;
const curtailed_w = 6_000_000;
const derated = 0.6;
/** What an inverter needs before it gives anything. */
const standing_w = 4000;
const register = 2 ** 32;
/** Where an inverter's register can stand at first, at most. */
const highest_wh = 3e9;
/** Where the revenue meter's registers stand at first. */
const first_wh = { delivered: 41_200_000_000, received: 380_000_000 } as const;

/** What an inverter gives under a sky, W, when nothing holds it back. */
export function inverterPower(
  weather: Weather,
  { block, health }: Pick<Inverter, "block" | "health">,
): number {
  const { ambient_c, wind_ms } = weather;
  const poa = weather.poa[block];
  const cell_c = ambient_c + poa / (25 + 6.84 * wind_ms);
  const heat = 1 + gamma * (cell_c - 25);
  const dc_w = poa / 1000 * size.inverter_dc_w * heat * (1 - dc_losses) * health;
  return Math.min(size.inverter_ac_w, Math.max(0, dc_w - standing_w) * efficiency);
}

/** What the inverters and the battery give. */
type Sources = { readonly pv_w: number; readonly battery_w: number; readonly is_night: boolean };

/** What reaches the grid, W. */
export function exportOf({ pv_w, battery_w, is_night }: Sources): number {
  return (pv_w + battery_w) * transformer - (is_night ? night_w : 0);
}

/** One inverter's present state; `energy_wh` is its 32-bit register. */
type Inverter = {
  readonly block: number;
  /** 1 is as modelled; one of the twenty has soiled or broken strings. */
  readonly health: number;
  ac_w: number;
  dc_w: number;
  energy_wh: number;
  temp_c: number;
  status: number;
  fault_word: number;
};

/** The plant at an instant. It only goes forward; counters add up what happened in between. */
export class DemoPlant {
  readonly #dice: Dice;
  readonly #scene: Scene;
  readonly place: DemoPlace;
  /** What of its life is lived by seconds: things go wrong then beside those of each day. */
  live_spans: readonly LiveSpan[];
  readonly inverters: readonly Inverter[];
  readonly battery: Battery;
  at_s: number;
  weather!: Weather;
  setpoint_w: number = size.plant_ac_w;
  export_w = 0;
  delivered_wh: number = first_wh.delivered;
  received_wh: number = first_wh.received;
  rain_mm = 0;
  voltage_v: number = nominal_v;
  frequency_hz!: number;
  /** Of today and yesterday: those that can be going on now. */
  #of_days: readonly Incident[] = [];
  #incidents: readonly Incident[] = [];
  #day = NaN;

  /** The plant when its story begins, at a whole minute. */
  constructor(story: DemoStory) {
    const dice = new Dice(story.seed);
    this.#dice = dice;
    this.#scene = storyScene(story);
    this.place = storyPlace(story);
    this.live_spans = story.live ?? [];
    this.at_s = Math.floor(story.from_us / 60_000_000) * 60;
    this.battery = new Battery();
    this.inverters = Array.from({ length: size.inverters }, (_, i) => newInverter(dice, i));
    this.advance(0);
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

  /** What a met station's sensor in the plane of the modules shows, W/m2. */
  shownPoa(met: number): number {
    if (this.incident("dead", met)) return 0;
    const stuck = this.incident("stuck", met);
    const { poa } = stuck ? this.#weatherAt(stuck.from_s) : this.weather;
    return poa[met_blocks[met]];
  }

  /** Moves on by `step_s` and computes everything again. */
  advance(step_s: number): void {
    this.at_s += step_s;
    this.#meetIncidents();
    this.weather = this.#weatherAt(this.at_s);
    const curtailed = this.incident("curtailment", 0) !== undefined;
    this.setpoint_w = curtailed ? curtailed_w : size.plant_ac_w;
    const limit_w = this.setpoint_w / size.inverters;
    this.inverters.forEach((_, i) => this.#runInverter(i, { limit_w, step_s }));
    this.#runGrid(step_s);
    for (const it of this.#incidents) {
      if (it.to_s > this.at_s - step_s && it.to_s <= this.at_s) this.#replaceAt(it);
    }
  }

  #weatherAt(at_s: number): Weather {
    return weatherAt(this.#dice, { at_s, blocks: size.blocks, place: this.place });
  }

  /** At the end of a replacement another register goes on, from wherever it stands. */
  #replaceAt({ kind, target, to_s }: Incident): void {
    const below = (most_wh: number, channel: number) =>
      Math.floor(most_wh * this.#dice.unit(channel, solarDay(this.place, to_s)));
    if (kind === "replaced") this.inverters[target].energy_wh = below(highest_wh, 50);
    if (kind !== "new_meter") return;
    this.delivered_wh = below(2 * first_wh.delivered, 51);
    this.received_wh = below(2 * first_wh.received, 52);
  }

  #meetIncidents(): void {
    const day = solarDay(this.place, this.at_s);
    if (day !== this.#day) {
      this.#day = day;
      this.#of_days = [day - 1, day].flatMap((it) => incidentsOf(this.#scene, it));
    }
    const now = { from_s: this.at_s, to_s: this.at_s };
    const live = this.live_spans.flatMap((span) => liveIncidents(this.#scene, span, now));
    this.#incidents = [...this.#of_days, ...live];
  }

  #runInverter(i: number, { limit_w, step_s }: { limit_w: number; step_s: number }): void {
    const inverter = this.inverters[i];
    const { block, health } = inverter;
    const flicker = 1 + 0.004 * this.#dice.curve(300 + i, this.at_s / 60);
    const trouble = {
      tripped: this.incident("trip", i) !== undefined,
      dark: this.incident("outage", block) !== undefined,
      off: this.incident("maintenance", i) !== undefined,
      hot: this.incident("derate", i) !== undefined,
    };
    const stages = trouble.hot ? derated : 1;
    const free_w = inverterPower(this.weather, { block, health: health * flicker }) * stages;
    const { tripped, dark, off } = trouble;
    inverter.ac_w = tripped || dark || off ? 0 : Math.min(free_w, limit_w);
    inverter.dc_w = inverter.ac_w === 0 ? 0 : inverter.ac_w / efficiency + standing_w;
    inverter.energy_wh = (inverter.energy_wh + inverter.ac_w * step_s / 3600) % register;
    inverter.fault_word = faultWord(trouble);
    inverter.status = statusOf(inverter, { ...trouble, limited: free_w > limit_w });
    const cool_c = this.weather.ambient_c + (trouble.hot ? 30 : 12);
    const target_c = cool_c + 30 * inverter.ac_w / size.inverter_ac_w;
    inverter.temp_c += (target_c - inverter.temp_c) * Math.min(1, step_s / 1200);
  }

  #runGrid(step_s: number): void {
    const pv_w = this.inverters.reduce((sum, it) => sum + it.ac_w, 0);
    const hour = (solarTime(this.place, this.at_s) % 86_400) / 3600;
    this.battery.advance({ hour, pv_w, ambient_c: this.weather.ambient_c, step_s });
    const is_night = this.weather.altitude_deg < night_deg;
    this.export_w = exportOf({ pv_w, battery_w: this.battery.power_w, is_night });
    const energy_wh = this.export_w * step_s / 3600;
    if (energy_wh > 0) this.delivered_wh += energy_wh;
    else this.received_wh -= energy_wh;
    const load = this.export_w / size.plant_ac_w;
    this.voltage_v = nominal_v * (1 + 0.012 * load + 0.004 * this.#dice.curve(20, this.at_s / 600));
    this.frequency_hz = this.place.grid_hz + 0.02 * this.#dice.curve(21, this.at_s / 45);
    const wet = this.#dice.curve(22, this.at_s / 20_000) - 0.86;
    if (wet > 0) this.rain_mm += wet * 25 * step_s / 3600;
  }
}

/** Where and to what the incidents of a story happen. */
export function storyScene({ seed, from_us, ...story }: DemoStory): Scene {
  const place = storyPlace(story);
  const first_day = solarDay(place, from_us / 1_000_000);
  const { inverters, blocks, mets } = size;
  return { dice: new Dice(seed), place, first_day, crowd: { inverters, blocks, mets } };
}

function newInverter(dice: Dice, i: number): Inverter {
  const worn = i === 12 ? 0.89 : 1;
  return {
    block: Math.floor(i / size.per_block),
    health: worn * (0.965 + 0.025 * dice.unit(30, i)),
    ac_w: 0,
    dc_w: 0,
    // The seventh wraps around within the first days.
    energy_wh: i === 6 ? register - 15_000_000 : Math.floor(highest_wh * dice.unit(31, i)),
    temp_c: 20,
    status: inverter_status.standby,
    fault_word: 0,
  };
}

type Trouble = Readonly<Record<"tripped" | "dark" | "off" | "hot", boolean>>;

function faultWord({ tripped, dark, hot }: Trouble): number {
  return Number(tripped) << fault_bits.overcurrent | Number(dark) << fault_bits.no_grid |
    Number(hot) << fault_bits.over_temperature;
}

function statusOf(
  { ac_w }: Inverter,
  { tripped, dark, off, hot, limited }: Trouble & { readonly limited: boolean },
): number {
  if (tripped) return inverter_status.fault;
  if (dark || off) return inverter_status.off;
  if (ac_w === 0) return inverter_status.standby;
  if (limited) return inverter_status.limited;
  return hot ? inverter_status.derated : inverter_status.producing;
}
