// Plans the weather of expected power: which sensors serve which inverters.
import { seesAlike } from "../../model/expected/plane.ts";
import type { Sensor } from "../../model/plant/plant.ts";
import type { Mount } from "../../model/expected/pv.ts";
import type { PlannedArea, PlannedWeather, Quantity } from "../../store/expected/plan.ts";

/** The measures that weather is taken from; `temp` only where a met station measures it. */
const quantities: ReadonlyMap<string, Quantity> = new Map([
  ["poa_front", "poa"],
  ["ghi", "ghi"],
  ["dni", "dni"],
  ["dhi", "dhi"],
  ["ambient_temp", "ambient"],
  ["temp", "ambient"],
  ["module_temp_back", "module"],
  ["windspeed", "wind"],
]);

/** Where a device stands, and how its modules do. */
type Standing = {
  readonly site_no: number;
  readonly block_id: string | null;
  readonly mount: Mount | null;
};

/** Weather sensors and the areas of inverters that see the same weather. */
export class WeatherInputs {
  readonly weather: PlannedWeather[] = [];
  readonly areas: PlannedArea[] = [];
  readonly #facings: ReadonlyMap<number, Facings>;
  readonly #blocks = new Map<string, number>();
  readonly #area_nos = new Map<string, number>();

  constructor(devices: readonly Standing[]) {
    const sites = Map.groupBy(devices, ({ site_no }) => site_no);
    this.#facings = new Map(Array.from(sites, ([site_no, it]) => [site_no, new Facings(it)]));
  }

  /** Adds the weather sensors among those of a site's data stream, before its inverters. */
  addSensors(pool_no: number, sensors: readonly Sensor[]): void {
    for (const sensor of sensors) {
      const quantity = quantities.get(sensor.measure);
      if (quantity === undefined) continue;
      if (sensor.measure === "temp" && sensor.component !== "met") continue;
      const { tag_no, sensor_no, site_no, project_no, block_id, scale, offset } = sensor;
      const facings = quantity === "poa" ? this.#facings.get(site_no) : undefined;
      this.weather.push({
        ...{ tag_no, sensor_no, project_no, site_no, pool_no, quantity, scale, offset },
        block_no: numberOf(this.#blocks, `${pool_no} ${block_id}`),
        facing_no: facings ? facings.ofBlock(block_id) : 0,
      });
    }
  }

  /** The area of an inverter; a block without weather sensors is part of its site's rest. */
  areaOf(pool_no: number, { site_no, block_id, mount }: Standing): number {
    const own = this.#blocks.get(`${pool_no} ${block_id}`);
    const block_no = own ?? numberOf(this.#blocks, `${pool_no} ${null}`);
    const facing_no = mount && (this.#facings.get(site_no)?.ofMount(mount) ?? null);
    const area_no = numberOf(this.#area_nos, `${block_no} ${facing_no}`);
    if (area_no > this.areas.length) this.areas.push({ area_no, pool_no, block_no, facing_no });
    return area_no;
  }
}

/** The ways in which the modules of a site face, numbered from 0. */
class Facings {
  /** One mount of each way. */
  readonly #ways: readonly Mount[];
  readonly #blocks: ReadonlyMap<string | null, ReadonlySet<number>>;

  constructor(devices: readonly Standing[]) {
    const known = devices.filter((it) => it.mount !== null);
    const texts = new Set(known.map(({ mount }) => JSON.stringify(mount)));
    const mounts = Array.from(texts).sort().map((text) => JSON.parse(text) as Mount);
    this.#ways = mounts.reduce<readonly Mount[]>(
      (ways, mount) => ways.some((way) => seesAlike(way, mount)) ? ways : [...ways, mount],
      [],
    );
    const blocks = Map.groupBy(known, ({ block_id }) => block_id);
    this.#blocks = new Map(
      Array.from(blocks, ([id, it]) => [id, new Set(it.map(({ mount }) => this.ofMount(mount!)))]),
    );
  }

  /** The way that modules face. */
  ofMount(mount: Mount): number {
    return this.#ways.findIndex((way) => seesAlike(way, mount));
  }

  /** The way that sensors face: that of their block's modules or else of the site's, if one. */
  ofBlock(block_id: string | null): number | null {
    const ways = block_id === null ? undefined : this.#blocks.get(block_id);
    if (ways === undefined) return this.#ways.length > 1 ? null : 0;
    return ways.size > 1 ? null : [...ways][0];
  }
}

function numberOf(numbers: Map<string, number>, key: string): number {
  const known = numbers.get(key) ?? numbers.size + 1;
  numbers.set(key, known);
  return known;
}
