// Plans expected power: which inverters are alike, what weather they see, and what sums them.
import type { Device, Sensor, Site } from "../model/plant.ts";
import { gridOf, type Mount, pvOf, type PvParams } from "../model/pv.ts";
import type {
  ModelPlan,
  PlannedArea,
  PlannedKind,
  PlannedPlane,
  PlannedPoint,
  PlannedPv,
  PlannedWeather,
  Quantity,
} from "../store/model_plan.ts";
import type { Plant } from "../store/plant.ts";
import { type GridDevice, type Part, planGrid } from "./model_grid.ts";

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

const energies: ReadonlySet<string> = new Set([
  "energy",
  "active_energy_delivered",
  "energy_export",
]);

/** Plans the expected power of every sensor that has one, by its site and data stream. */
export function planModels(plant: Plant): ModelPlan {
  const builder = new Builder(plant);
  const pools = Map.groupBy(plant.sensors, (it) => `${it.site_no}\n${it.sentinel_tag}`);
  for (const sensors of pools.values()) builder.addPool(sensors);
  return builder.plan;
}

/** A plan that is not finished: what is alike gets one number. */
class Builder {
  readonly plan: {
    readonly [K in keyof ModelPlan]: ModelPlan[K] extends readonly (infer Row)[] ? Row[] : never;
  } = {
    weather: [],
    areas: [],
    planes: [],
    curves: [],
    kinds: [],
    pv: [],
    stated: [],
    grid: [],
    shares: [],
    below: [],
    points: [],
  };
  readonly #sites: ReadonlyMap<number, Site>;
  readonly #devices: ReadonlyMap<string, GridDevice>;
  readonly #stated: ReadonlySet<string>;
  readonly #tag_names: ReadonlyMap<number, string>;
  readonly #params: (device: Device) => PvParams | null;
  readonly #numbers = new Map<string, number>();
  #pools = 0;
  #nodes = 0;

  constructor(plant: Plant) {
    this.#sites = new Map(plant.sites.map((site) => [site.site_no, site]));
    this.#devices = new Map(
      plant.devices.map((device) => [device.id, { device, grid: gridOf(device) }]),
    );
    const nameOf = (tag: { readonly project_no: number; readonly sensor_tag: string }) =>
      `${tag.project_no}\n${tag.sensor_tag}`;
    this.#stated = new Set(plant.tags.filter((tag) => tag.lane === "model").map(nameOf));
    this.#tag_names = new Map(plant.tags.map((tag) => [tag.tag_no, nameOf(tag)]));
    this.#params = paramsReader(plant);
  }

  /** Adds the sensors of one site and data stream. */
  addPool(sensors: readonly Sensor[]): void {
    const pool_no = ++this.#pools;
    const areas = this.#addWeather(pool_no, sensors);
    const parts: Part[] = [];
    const inverters = sensors.filter((sensor) => sensor.component === "inverter");
    const units = Map.groupBy(inverters, (it) => it.device_id ?? `sensor ${it.sensor_no}`);
    for (const unit of units.values()) {
      const part = this.#addInverter(unit, { pool_no, areas });
      if (part) parts.push(part);
    }
    const grid = planGrid({
      parts,
      devices: this.#devices,
      powers: sensors.filter(({ measure, component }) =>
        measure === "active_power" && component !== "inverter"
      ),
      nextNode: () => ++this.#nodes,
    });
    for (const row of grid.grid) this.plan.grid.push(row);
    for (const row of grid.shares) this.plan.shares.push(row);
    for (const row of grid.below) this.plan.below.push(row);
    for (const { sensor_no, node_no } of grid.points) {
      this.#addPoint(pool_no, { sensor_no, node_no });
    }
  }

  /** Adds weather sensors; gives the area of each block that has some, and of the others. */
  #addWeather(pool_no: number, sensors: readonly Sensor[]): ReadonlyMap<string | null, number> {
    const areas = new Map<string | null, number>();
    const areaOf = (block_id: string | null) => {
      const known = areas.get(block_id);
      if (known !== undefined) return known;
      const area: PlannedArea = { area_no: this.plan.areas.length + 1, pool_no };
      this.plan.areas.push(area);
      areas.set(block_id, area.area_no);
      return area.area_no;
    };
    for (const sensor of sensors) {
      const quantity = quantities.get(sensor.measure);
      if (quantity === undefined) continue;
      if (sensor.measure === "temp" && sensor.component !== "met") continue;
      const { tag_no, sensor_no, site_no, project_no, block_id, scale, offset } = sensor;
      const area_no = areaOf(block_id);
      const row: PlannedWeather = {
        ...{ tag_no, sensor_no, project_no, site_no, pool_no, area_no },
        ...{ quantity, scale, offset },
      };
      this.plan.weather.push(row);
    }
    areaOf(null);
    return areas;
  }

  /** Adds one inverter's sensors; gives its part of what sums it. */
  #addInverter(
    sensors: readonly Sensor[],
    { pool_no, areas }: { pool_no: number; areas: ReadonlyMap<string | null, number> },
  ): Part | undefined {
    const [{ device_id, block_id, site_no }] = sensors;
    const device = device_id === null ? undefined : this.#devices.get(device_id)?.device;
    const powers = sensors.filter((sensor) => sensor.measure === "active_power");
    const params = device ? this.#params(device) : null;
    if (powers.length === 0 && params === null) return undefined;
    const place = device?.block_id ?? block_id;
    const power: Sensor | undefined = powers[0];
    const stated = power !== undefined &&
      this.#stated.has(this.#tag_names.get(power.tag_no) ?? "");
    const kind = params &&
      { params, pool_no, site_no, area_no: areas.get(place) ?? areas.get(null)! };
    const node_no = this.#nodeOf(kind, stated ? power : undefined);
    if (node_no !== null && params) {
      const { rated_dc_w, rated_ac_w } = params;
      for (const { sensor_no } of powers) {
        const row: PlannedPv = { sensor_no, rated_dc_w, rated_ac_w };
        this.plan.pv.push(row);
        this.#addPoint(pool_no, { sensor_no, node_no });
      }
      // An inverter whose power is not measured still has an energy to expect.
      const alone = power ? [] : sensors.filter((sensor) => energies.has(sensor.measure));
      for (const { sensor_no } of alone) {
        this.#addPoint(pool_no, { sensor_no, node_no, factor: 1 / 60 });
      }
    }
    return { sensor_no: power?.sensor_no ?? null, node_no, device_id, block_id: place };
  }

  /** The node of an inverter: shared by all that are alike, its own where its site sends values. */
  #nodeOf(kind: KindPlace | null, stated: Sensor | undefined): number | null {
    if (kind === null && stated === undefined) return null;
    const text = JSON.stringify([kind, stated?.sensor_no]);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const node_no = ++this.#nodes;
    this.#numbers.set(text, node_no);
    if (stated) this.plan.stated.push({ sensor_no: stated.sensor_no, node_no });
    if (kind) this.plan.kinds.push(this.#kindOf(kind, node_no));
    return node_no;
  }

  #kindOf({ params, pool_no, area_no, site_no }: KindPlace, node_no: number): PlannedKind {
    const { mount, transposition, efficiency_curve, temperature, ...numbers } = params;
    const site = this.#sites.get(site_no);
    const plane_no = mount && site ? this.#planeOf(site, mount) : null;
    const curve_no = efficiency_curve && this.#curveOf(JSON.stringify(efficiency_curve));
    const { kind, ...coefficients } = temperature;
    const [cell_a, cell_b, cell_c = 0, cell_d = 0] = Object.values<number>(coefficients);
    return {
      ...{ node_no, pool_no, area_no, plane_no, ...numbers, hay: transposition === "hay_davies" },
      ...{ curve_no, cell: kind, cell_a, cell_b, cell_c, cell_d },
    };
  }

  #planeOf({ latitude, longitude }: Site, mount: Mount): number {
    const text = JSON.stringify({ latitude, longitude, mount });
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const plane: PlannedPlane = { plane_no: this.plan.planes.length + 1, place: text };
    this.plan.planes.push(plane);
    this.#numbers.set(text, plane.plane_no);
    return plane.plane_no;
  }

  #curveOf(curve: string): number {
    const known = this.#numbers.get(curve);
    if (known !== undefined) return known;
    const curve_no = this.plan.curves.length + 1;
    this.plan.curves.push({ curve_no, curve });
    this.#numbers.set(curve, curve_no);
    return curve_no;
  }

  #addPoint(
    pool_no: number,
    { factor = 1, ...point }: Pick<PlannedPoint, "sensor_no" | "node_no"> & { factor?: number },
  ): void {
    this.plan.points.push({ ...point, pool_no, factor });
  }
}

type KindPlace = {
  readonly params: PvParams;
  readonly pool_no: number;
  readonly site_no: number;
  readonly area_no: number;
};

/** Reads devices' parameters, those of devices that are written alike once. */
function paramsReader(plant: Plant): (device: Device) => PvParams | null {
  const models = Map.groupBy(plant.device_models, (model) => `${model.site_no}\n${model.key}`);
  const known = new Map<string, PvParams | null>();
  return (device) => {
    if (device.pv === null && device.device_model === null) return null;
    const name = `${device.site_no}\n${device.device_model}`;
    const text = `${name}\n${device.pv}`;
    const params = known.get(text) ?? pvOf(device, models.get(name) ?? []);
    known.set(text, params);
    return params;
  };
}
