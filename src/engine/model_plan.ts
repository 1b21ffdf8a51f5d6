// Plans expected power: which inverters are alike, what weather they see, and what sums them.
import type { Device, Sensor, Site } from "../model/plant.ts";
import { gridOf, type Mount, pvOf, type PvParams } from "../model/pv.ts";
import type {
  ModelPlan,
  PlannedArea,
  PlannedCell,
  PlannedCurve,
  PlannedKind,
  PlannedPlane,
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
    cells: [],
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
    const inverters = sensors.filter(({ component, device_id }) =>
      component === "inverter" || this.#devices.get(device_id ?? "")?.device.type === "inverter"
    );
    const units = Map.groupBy(inverters, (it) => it.device_id ?? `sensor ${it.sensor_no}`);
    const parts = Array.from(units.values(), (it) => this.#addInverter(it, { pool_no, areas }));
    const below = new Set(inverters);
    const powers = powersOf(sensors.filter((sensor) => !below.has(sensor)));
    const counted = new Set(
      powers.filter(({ measure }) => energies.has(measure)).map((it) => it.sensor_no),
    );
    const grid = planGrid({
      parts: parts.filter((part) => part !== undefined),
      devices: this.#devices,
      powers,
      nextNode: () => ++this.#nodes,
    });
    for (const row of grid.grid) this.plan.grid.push(row);
    for (const row of grid.shares) this.plan.shares.push(row);
    for (const row of grid.below) this.plan.below.push(row);
    for (const point of grid.points) {
      this.plan.points.push({
        ...point,
        pool_no,
        factor: counted.has(point.sensor_no) ? 1 / 60 : 1,
      });
    }
    this.#addEnergies(pool_no, sensors);
  }

  /** Adds the energies beside powers that are worked out and that no sent values can replace. */
  #addEnergies(pool_no: number, sensors: readonly Sensor[]): void {
    const powers = this.plan.points.filter((point) => point.pool_no === pool_no);
    const nodes = new Map(powers.map(({ sensor_no, node_no }) => [sensor_no, node_no]));
    const units = Map.groupBy(sensors, unitOf);
    for (const unit of units.values()) {
      const power = unit.find((sensor) => sensor.measure === "active_power");
      const node_no = power && !this.#isStated(power) ? nodes.get(power.sensor_no) : undefined;
      if (node_no !== undefined) this.#addEnergy(unit, { node_no, pool_no });
    }
  }

  #addEnergy(
    unit: readonly Sensor[],
    point: { readonly node_no: number; readonly pool_no: number },
  ): void {
    for (const { sensor_no, measure } of unit) {
      if (energies.has(measure)) this.plan.points.push({ ...point, sensor_no, factor: 1 / 60 });
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
    const [{ device_id, site_no }] = sensors;
    const device = this.#devices.get(device_id ?? "")?.device;
    const powers = powersOf(sensors);
    const params = device ? this.#params(device) : null;
    const power = powers.find((sensor) => sensor.measure === "active_power");
    if (power === undefined && params === null) return undefined;
    const block_id = device?.block_id ?? sensors[0].block_id;
    const area_no = areas.get(block_id) ?? areas.get(null)!;
    const kind = params && { params, pool_no, site_no, area_no };
    const node_no = this.#nodeOf(kind, power && this.#isStated(power) ? power : undefined);
    if (node_no !== null && params !== null) {
      const { rated_dc_w, rated_ac_w } = params;
      // An inverter whose power is not measured still has an energy to expect.
      const factor = power ? 1 : 1 / 60;
      for (const { sensor_no } of powers) {
        this.plan.pv.push({ sensor_no, rated_dc_w, rated_ac_w });
        this.plan.points.push({ sensor_no, node_no, pool_no, factor });
      }
    }
    return { sensor_no: powers[0]?.sensor_no ?? null, node_no, device_id, block_id };
  }

  /** The node of an inverter: shared by all that are alike, its own where its site sends values. */
  #nodeOf(kind: KindPlace | null, stated: Sensor | undefined): number | null {
    if (kind === null && stated === undefined) return null;
    return this.#numbered(JSON.stringify([kind, stated?.sensor_no]), () => {
      const node_no = ++this.#nodes;
      if (stated) this.plan.stated.push({ sensor_no: stated.sensor_no, node_no });
      if (kind) this.plan.kinds.push(this.#kindOf(kind, node_no));
      return node_no;
    });
  }

  #kindOf(place: KindPlace, node_no: number): PlannedKind {
    const { rated_dc_w, rated_ac_w, gamma, losses, efficiency, efficiency_curve } = place.params;
    const curve_no = efficiency_curve && this.#curveOf(JSON.stringify(efficiency_curve));
    const numbers = { rated_dc_w, rated_ac_w, gamma, losses, efficiency };
    return { node_no, cell_no: this.#cellOf(place), curve_no, ...numbers };
  }

  #cellOf({ params, pool_no, area_no, site_no }: KindPlace): number {
    const { mount, transposition, albedo, temperature } = params;
    const site = this.#sites.get(site_no);
    const plane_no = mount && site ? this.#planeOf(site, mount) : null;
    const { kind: model, ...numbers } = temperature;
    const [a, b, c = 0, d = 0] = Object.values<number>(numbers);
    const hay = transposition === "hay_davies";
    const cell = { pool_no, area_no, plane_no, albedo, hay, model, a, b, c, d };
    return this.#numbered(JSON.stringify(cell), () => {
      const row: PlannedCell = { cell_no: this.plan.cells.length + 1, ...cell };
      this.plan.cells.push(row);
      return row.cell_no;
    });
  }

  #planeOf({ latitude, longitude }: Site, mount: Mount): number {
    const place = JSON.stringify({ latitude, longitude, mount });
    return this.#numbered(place, () => {
      const row: PlannedPlane = { plane_no: this.plan.planes.length + 1, place };
      this.plan.planes.push(row);
      return row.plane_no;
    });
  }

  #curveOf(curve: string): number {
    return this.#numbered(curve, () => {
      const row: PlannedCurve = { curve_no: this.plan.curves.length + 1, curve };
      this.plan.curves.push(row);
      return row.curve_no;
    });
  }

  /** The number that was given to the same text, or else a new one. */
  #numbered(text: string, add: () => number): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = add();
    this.#numbers.set(text, number);
    return number;
  }

  /** Whether its site sends what is expected of a sensor. */
  #isStated(sensor: Sensor): boolean {
    return this.#stated.has(this.#tag_names.get(sensor.tag_no) ?? "");
  }
}

/** What stands for the power of each unit: its active powers, or its energies without any. */
function powersOf(sensors: readonly Sensor[]): readonly Sensor[] {
  const powers = sensors.filter((sensor) => sensor.measure === "active_power");
  const measured = new Set(powers.map(unitOf));
  const counted = sensors.filter((it) => energies.has(it.measure) && !measured.has(unitOf(it)));
  return [...powers, ...counted];
}

function unitOf({ device_id, component, block_id }: Sensor): string {
  return device_id ?? `${component} ${block_id}`;
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
