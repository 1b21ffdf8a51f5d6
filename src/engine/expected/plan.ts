// Plans expected power: weather sensors serve nodes of inverters that are alike, summed in others.
import { expected_limits } from "../../model/expected/limits.ts";
import { gridOf, type Mount, pvOf, type PvParams } from "../../model/expected/pv.ts";
import { rate_of } from "../../model/plant/measure.ts";
import type { Device, Sensor, Site } from "../../model/plant/plant.ts";
import type {
  ModelPlan,
  PlannedCell,
  PlannedCurve,
  PlannedKind,
  PlannedPlane,
  PlannedPoint,
  PlannedStated,
} from "../../store/expected/plan.ts";
import type { Plant } from "../../store/plant/plant.ts";
import { type GridDevice, type Part, planGrid } from "./grid.ts";
import { Storages } from "./storage.ts";
import { WeatherInputs } from "./weather.ts";

/** Plans the expected power of every sensor that has one, by its site and data stream. */
export function planModels(plant: Plant): ModelPlan {
  const builder = new Builder(plant);
  const pools = Map.groupBy(plant.sensors, (it) => `${it.site_no}\n${it.sentinel_tag}`);
  for (const sensors of pools.values()) builder.addPool(sensors);
  return builder.finish();
}

type Rows = Pick<
  ModelPlan,
  "pv" | "grid" | "shares" | "below" | "storage" | "reach" | "points"
>;

/** A plan that is not finished. */
class Builder {
  readonly #plan: {
    readonly [K in keyof Rows]: Rows[K] extends readonly (infer Row)[] ? Row[] : never;
  } = { pv: [], grid: [], shares: [], below: [], storage: [], reach: [], points: [] };
  readonly #plant: Plant;
  readonly #kinds: Kinds;
  readonly #weather: WeatherInputs;
  readonly #devices: ReadonlyMap<string, GridDevice>;
  readonly #storages: Storages;
  /** Inverters without a sensor of their own, by site. */
  readonly #silent: ReadonlyMap<number, readonly Device[]>;
  readonly #stated: ReadonlySet<string>;
  readonly #tag_names: ReadonlyMap<number, string>;
  readonly #params: (device: Device) => PvParams | null;
  #pools = 0;
  #summed = 0;
  #nodes = 0;

  constructor(plant: Plant) {
    this.#plant = plant;
    this.#kinds = new Kinds(plant.sites, () => ++this.#nodes);
    this.#devices = new Map(
      plant.devices.map((device) => [device.id, { device, grid: gridOf(device) }]),
    );
    this.#storages = new Storages(plant.devices, plant.sensors);
    const told = plant.sensors.filter((sensor) => sensor.component === "inverter");
    const telling = new Set(told.map((sensor) => sensor.device_id));
    const silent = plant.devices.filter(({ id, type }) => type === "inverter" && !telling.has(id));
    this.#silent = Map.groupBy(silent, (device) => device.site_no);
    const nameOf = (tag: { readonly project_no: number; readonly sensor_tag: string }) =>
      `${tag.project_no}\n${tag.sensor_tag}`;
    this.#stated = new Set(plant.tags.filter((tag) => tag.lane === "model").map(nameOf));
    this.#tag_names = new Map(plant.tags.map((tag) => [tag.tag_no, nameOf(tag)]));
    this.#params = paramsReader(plant);
    this.#weather = new WeatherInputs(
      plant.devices.map((it) => ({ ...it, mount: this.#params(it)?.mount ?? null })),
    );
  }

  finish(): ModelPlan {
    const { weather, areas } = this.#weather;
    const { planes, curves, cells, kinds, stated } = this.#kinds;
    return { ...this.#plan, weather, areas, planes, curves, cells, kinds, stated };
  }

  /** Adds the sensors of one site and data stream, and its silent inverters. */
  addPool(sensors: readonly Sensor[]): void {
    const pool_no = ++this.#pools;
    const first_point = this.#plan.points.length;
    const inverters = Map.groupBy(
      sensors.filter((sensor) => sensor.component === "inverter"),
      (sensor) => sensor.device_id ?? `sensor ${sensor.sensor_no}`,
    );
    const powers = this.#summing(sensors);
    if (powers.length > 0) { for (const { id } of this.#silentAt(sensors)) inverters.set(id, []); }
    const place = { pool_no, site_no: sensors[0].site_no };
    this.#weather.addSensors(pool_no, sensors);
    this.#weather.addLent(pool_no, place.site_no, this.#lentTo(place.site_no));
    const parts = Array.from(inverters, ([id, it]) => this.#addInverter(it, { ...place, id }));
    const counted = new Set(
      powers.filter(({ measure }) => isEnergy(measure)).map((it) => it.sensor_no),
    );
    const grid = planGrid({
      parts: parts.filter((part) => part !== undefined),
      storage: this.#storages.of(sensors),
      devices: this.#devices,
      sensors,
      powers,
      nextNode: () => ++this.#nodes,
    });
    for (const row of grid.grid) this.#plan.grid.push(row);
    for (const row of grid.shares) this.#plan.shares.push(row);
    for (const row of grid.below) this.#plan.below.push(row);
    for (const row of grid.storage) this.#plan.storage.push(row);
    for (const row of grid.reach) this.#plan.reach.push(row);
    for (const point of grid.points) {
      this.#plan.points.push({
        ...point,
        pool_no,
        factor: counted.has(point.sensor_no) ? 1 / 60 : 1,
      });
    }
    this.#addEnergies(sensors, this.#plan.points.slice(first_point));
  }

  /** What stands for powers that sum inverters; nothing once silent ones are summed too often. */
  #summing(sensors: readonly Sensor[]): readonly Sensor[] {
    const powers = powersOf(sensors.filter((sensor) => sensor.component !== "inverter"));
    if (powers.length > 0) this.#summed += this.#silentAt(sensors).length;
    return this.#summed > expected_limits.pairs ? [] : powers;
  }

  /** Sensors of other sites that stand in where those of a site tell nothing. */
  #lentTo(site_no: number): readonly Sensor[] {
    const { fallbacks, sensors } = this.#plant;
    const entries = fallbacks.filter((it) => it.site_no === site_no);
    return entries.length === 0
      ? []
      : sensors.filter((sensor) =>
        entries.some((it) =>
          it.from_site_no === sensor.site_no && (it.tag_no ?? sensor.tag_no) === sensor.tag_no
        )
      );
  }

  #silentAt([{ site_no }]: readonly Sensor[]): readonly Device[] {
    return this.#silent.get(site_no) ?? [];
  }

  /** Adds the energies beside powers that are computed and that no sent values can replace. */
  #addEnergies(sensors: readonly Sensor[], powers: readonly PlannedPoint[]): void {
    const points = new Map(powers.map((point) => [point.sensor_no, point]));
    for (const unit of Map.groupBy(sensors, unitOf).values()) {
      const power = unit.find((sensor) => sensor.measure === "active_power");
      const point = power && !this.#isStated(power) ? points.get(power.sensor_no) : undefined;
      if (point === undefined) continue;
      const counted = unit.filter((sensor) => isEnergy(sensor.measure));
      for (const { sensor_no } of counted) {
        this.#plan.points.push({ ...point, sensor_no, factor: 1 / 60 });
      }
    }
  }

  /** Adds an inverter with its sensors, if any; gives its part of what sums it. */
  #addInverter(
    sensors: readonly Sensor[],
    { id, site_no, pool_no }: {
      readonly id: string;
      readonly site_no: number;
      readonly pool_no: number;
    },
  ): Part | undefined {
    const device = this.#devices.get(id)?.device;
    const powers = powersOf(sensors);
    const params = device ? this.#params(device) : null;
    const power = powers.find((sensor) => sensor.measure === "active_power");
    if (power === undefined && device === undefined) return undefined;
    const block_id = device?.block_id ?? sensors[0]?.block_id ?? null;
    const kind = params && {
      ...{ params, pool_no, site_no },
      area_no: this.#weather.areaOf(pool_no, { site_no, block_id, mount: params.mount }),
    };
    const node_no = this.#kinds.nodeOf(
      kind,
      power && this.#isStated(power) ? power.sensor_no : undefined,
    );
    if (node_no !== null && params !== null) {
      const { rated_dc_w, rated_ac_w } = params;
      // An inverter whose power is not measured still has an energy to expect.
      const factor = power ? 1 : 1 / 60;
      for (const { sensor_no } of powers) {
        this.#plan.pv.push({ sensor_no, rated_dc_w, rated_ac_w });
        this.#plan.points.push({ sensor_no, node_no, pool_no, factor });
      }
    }
    return { sensor_no: powers[0]?.sensor_no ?? null, node_no, device_id: id, block_id };
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
  const counted = sensors.filter((it) => isEnergy(it.measure) && !measured.has(unitOf(it)));
  return [...powers, ...counted];
}

function unitOf({ device_id, component, block_id }: Sensor): string {
  return `${component} ${device_id ?? block_id}`;
}

/** Whether a measure is the integral of active power. */
function isEnergy(measure: string): boolean {
  return rate_of.get(measure) === "active_power";
}

/** An inverter's parameters, and where it stands. */
type KindPlace = {
  readonly params: PvParams;
  readonly pool_no: number;
  readonly site_no: number;
  readonly area_no: number;
};

/** The nodes of inverters and what they are computed from, each number given once. */
class Kinds {
  readonly planes: PlannedPlane[] = [];
  readonly curves: PlannedCurve[] = [];
  readonly cells: PlannedCell[] = [];
  readonly kinds: PlannedKind[] = [];
  readonly stated: PlannedStated[] = [];
  readonly #sites: ReadonlyMap<number, Site>;
  readonly #nextNode: () => number;
  readonly #numbers = new Map<string, number>();

  constructor(sites: readonly Site[], nextNode: () => number) {
    this.#sites = new Map(sites.map((site) => [site.site_no, site]));
    this.#nextNode = nextNode;
  }

  /** The node of an inverter: shared by all that are alike, its own where its site sends values. */
  nodeOf(kind: KindPlace | null, stated: number | undefined): number | null {
    if (kind === null && stated === undefined) return null;
    return this.#numbered(JSON.stringify([kind, stated]), () => {
      const node_no = this.#nextNode();
      if (stated !== undefined) this.stated.push({ sensor_no: stated, node_no });
      if (kind) this.kinds.push(this.#kindOf(kind, node_no));
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
      const row: PlannedCell = { cell_no: this.cells.length + 1, ...cell };
      this.cells.push(row);
      return row.cell_no;
    });
  }

  #planeOf({ latitude, longitude }: Site, mount: Mount): number {
    const place = JSON.stringify({ latitude, longitude, mount });
    return this.#numbered(place, () => {
      const row: PlannedPlane = { plane_no: this.planes.length + 1, place };
      this.planes.push(row);
      return row.plane_no;
    });
  }

  #curveOf(curve: string): number {
    return this.#numbered(curve, () => {
      const row: PlannedCurve = { curve_no: this.curves.length + 1, curve };
      this.curves.push(row);
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
}

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
