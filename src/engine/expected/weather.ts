// Weather sensors, which way they face, and the areas of inverters that see the same weather.
import type { Mount } from "../../model/expected/pv.ts";
import { seesAlike } from "../../model/expected/plane.ts";
import type { Fallback, Sensor } from "../../model/plant/plant.ts";
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

const lights: ReadonlySet<Quantity> = new Set(["poa", "ghi", "dni", "dhi"]);

/** Whether expected power is computed from what a sensor measures. */
export function isWeather(sensor: Pick<Sensor, "measure" | "component">): boolean {
  return quantityOf(sensor) !== undefined;
}

/** The weather sensors that a fallback lends. */
export function lendersOf(
  sensors: readonly Sensor[],
  { from_site_no, tag_no }: Pick<Fallback, "from_site_no" | "tag_no">,
): readonly Sensor[] {
  return sensors.filter((it) =>
    it.site_no === from_site_no && (tag_no ?? it.tag_no) === it.tag_no && isWeather(it)
  );
}

/** Whether that is an irradiance. */
export function isLight(sensor: Pick<Sensor, "measure" | "component">): boolean {
  const quantity = quantityOf(sensor);
  return quantity !== undefined && lights.has(quantity);
}

function quantityOf({ measure, component }: Pick<Sensor, "measure" | "component">) {
  return measure === "temp" && component !== "met" ? undefined : quantities.get(measure);
}

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
      const { site_no, block_id } = sensor;
      this.#add(sensor, {
        pool_no,
        is_lent: false,
        block_no: () => numberOf(this.#blocks, `${pool_no} ${block_id}`),
        facing: () => this.#facings.get(site_no)?.ofBlock(block_id) ?? 0,
      });
    }
  }

  /** Adds sensors of other sites that stand in where those of `site_no` tell nothing. */
  addLent(pool_no: number, site_no: number, sensors: readonly Sensor[]): void {
    const own = this.#facings.get(site_no);
    for (const sensor of sensors) {
      // Where nothing says which way it faces, it may stand in for all.
      const mount = this.#facings.get(sensor.site_no)?.mountOf(sensor.block_id);
      const facing = () => mount && own ? own.ofMount(mount) : null;
      this.#add(sensor, { pool_no, is_lent: true, block_no: () => 0, facing });
    }
  }

  #add(sensor: Sensor, { pool_no, is_lent, block_no, facing }: {
    readonly pool_no: number;
    readonly is_lent: boolean;
    readonly block_no: () => number;
    readonly facing: () => number | null;
  }): void {
    const quantity = quantityOf(sensor);
    if (quantity === undefined) return;
    const { tag_no, sensor_no, site_no, project_no, scale, offset } = sensor;
    this.weather.push({
      ...{ tag_no, sensor_no, project_no, site_no, pool_no, quantity, scale, offset },
      ...{ is_light: lights.has(quantity), is_lent, block_no: block_no() },
      facing_no: quantity === "poa" ? facing() : 0,
    });
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

  /** How the modules stand whose way sensors face; undefined where that is open. */
  mountOf(block_id: string | null): Mount | undefined {
    return this.#ways[this.ofBlock(block_id) ?? -1];
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
