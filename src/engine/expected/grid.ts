// Plans what sums the power of inverters: blocks, feeders, transformers, meters and the system.
import { expected_limits } from "../../model/expected/limits.ts";
import { power_setpoints } from "../../model/plant/measure.ts";
import type { Device, Sensor } from "../../model/plant/plant.ts";
import type { GridParams } from "../../model/expected/pv.ts";
import type {
  PlannedBelow,
  PlannedGrid,
  PlannedPoint,
  PlannedReach,
  PlannedShare,
  PlannedStorage,
} from "../../store/expected/plan.ts";
import type { Storage } from "./storage.ts";

/** A device and what it does to the power below it. */
export type GridDevice = { readonly device: Device; readonly grid: GridParams };

/** An inverter. `node_no` null: nothing is expected of it, so nothing of what sums it. */
export type Part = {
  /** The sensor of its power, else of its energy, if it has any. */
  readonly sensor_no: number | null;
  readonly node_no: number | null;
  readonly device_id: string | null;
  readonly block_id: string | null;
};

/** The inverters and storage of one site and data stream, and what stands for all else's power. */
type GridScope = {
  readonly parts: readonly Part[];
  readonly storage: readonly Storage[];
  readonly devices: ReadonlyMap<string, GridDevice>;
  readonly powers: readonly Sensor[];
  /** All sensors of it: the setpoints of meters are looked for. */
  readonly sensors: readonly Sensor[];
  readonly nextNode: () => number;
};

/** The nodes that sum, and the power sensors that they are expected of. */
type GridPlan = {
  readonly grid: readonly PlannedGrid[];
  readonly shares: readonly PlannedShare[];
  readonly below: readonly PlannedBelow[];
  readonly storage: readonly PlannedStorage[];
  readonly reach: readonly PlannedReach[];
  readonly points: readonly Pick<PlannedPoint, "sensor_no" | "node_no">[];
};

/**
 * Each inverter's power passes the devices above it, by parent, to the top of its site; each takes
 * its losses off and passes on no more than its limit. A feeder, transformer or meter is expected
 * to give what passes it; one beside the inverters (none below it) what its nearest ancestor
 * passes on, else its block, else the top; the system what reaches the top; a block what leaves
 * its inverters and devices. Nothing is expected of what sums an inverter of which nothing is. The
 * measured power of storage passes the same way, whatever the limits.
 */
export function planGrid(scope: GridScope): GridPlan {
  const nothing = { grid: [], shares: [], below: [], storage: [], reach: [], points: [] };
  if (scope.parts.every((part) => part.node_no === null)) return nothing;
  const network = new Network(scope);
  for (const part of scope.parts) if (!network.addPart(part)) return nothing;
  for (const storage of scope.storage) network.addStorage(storage);
  network.passLimited();
  const aims = scope.powers.flatMap((sensor) => network.aimOf(sensor) ?? []);
  const pairs = aims.reduce((sum, { point }) => sum + point.below.length + point.storage.length, 0);
  if (pairs > expected_limits.pairs) return nothing;
  const used = new Set(aims.map(({ point }) => point));
  // What is added while the set is gone through is gone through too.
  for (const point of used) for (const part of point.points) used.add(part);
  return {
    grid: Array.from(used, ({ node_no, stage, shares, limit_w }) => (
      { node_no, stage, parts: shares.size, limit_w }
    )),
    shares: Array.from(used).flatMap(({ node_no, shares }) =>
      Array.from(shares, ([part_no, factor]) => ({ node_no, part_no, factor }))
    ),
    below: aims.flatMap(({ sensor_no, point }) =>
      point.below.map(({ part_no, factor }) => ({
        sensor_no,
        part_no,
        factor,
      }))
    ),
    storage: Array.from(new Set(aims.map(({ point }) => point))).flatMap(storageRows),
    reach: scope.sensors.filter(isMeterSetpoint).flatMap((sensor) => network.reachOf(sensor)),
    points: aims.map(({ sensor_no, point }) => ({ sensor_no, node_no: point.node_no })),
  };
}

function isMeterSetpoint({ component, measure }: Sensor): boolean {
  return component === "meter" && power_setpoints.includes(measure);
}

function storageRows({ node_no, storage }: Point): readonly PlannedStorage[] {
  return storage.flatMap(({ sensor, factor }) => {
    if (sensor === null) return [];
    const { tag_no, scale, offset } = sensor;
    return [{ node_no, tag_no, scale, offset, factor, parts: storage.length }];
  });
}

type Below = { readonly part_no: number; readonly factor: number };
type Stored = { readonly sensor: Storage["sensor"]; readonly factor: number };

/** A place that power passes: the top, a block, a device, or a device beside one of these. */
class Point {
  stage = 1;
  /** Whether the expected power of everything below is known. */
  known = true;
  /** How much of each node's power reaches it. */
  readonly shares = new Map<number, number>();
  /** Points among those nodes. */
  readonly points: Point[] = [];
  /** The power sensors of all inverters below. */
  below: Below[] = [];
  /** The storage below. */
  storage: Stored[] = [];
  constructor(readonly node_no: number, readonly limit_w: number | null = null) {}

  add(part: Passing, factor: number): void {
    this.shares.set(part.node_no, (this.shares.get(part.node_no) ?? 0) + factor);
    this.stage = Math.max(this.stage, part.stage + 1);
    this.known &&= part.known;
  }
}

/** A node whose power goes up from a place. */
type Passing = Pick<Point, "node_no" | "stage" | "known">;
/** The points that the power of a site's inverters passes. */
class Network {
  readonly #devices: ReadonlyMap<string, GridDevice>;
  readonly #nextNode: () => number;
  readonly #top: Point;
  readonly #by_block = new Map<string, Point>();
  readonly #by_device = new Map<string, Point>();
  readonly #chains = new Map<string, readonly GridDevice[] | undefined>();

  constructor({ devices, nextNode }: GridScope) {
    this.#devices = devices;
    this.#nextNode = nextNode;
    this.#top = new Point(nextNode());
  }

  /** Adds an inverter to all that its power passes; false where its parents are too many. */
  addPart({ sensor_no, node_no, device_id, block_id }: Part): boolean {
    const chain = this.#chainOf(device_id);
    if (chain === undefined) return false;
    const part = { node_no: node_no ?? 0, stage: 0, known: node_no !== null };
    for (const { point, factor } of this.#passed(chain, { block_id, to: "limit" })) {
      point.add(part, factor);
    }
    if (sensor_no === null) return true;
    for (const { point, factor } of this.#passed(chain, { block_id, to: "top" })) {
      point.below.push({ part_no: sensor_no, factor });
    }
    return true;
  }

  /** Adds storage to all that its power passes. */
  addStorage({ sensor, device_id, block_id }: Storage): void {
    const chain = this.#chainOf(device_id) ?? [];
    for (const { point, factor } of this.#passed(chain, { block_id, to: "top" })) {
      point.storage.push({ sensor, factor });
      // Nothing tells what it does.
      if (sensor === null) point.known = false;
    }
  }

  /** Passes on what devices with a limit let through, the lowest ones first. */
  passLimited(): void {
    const limited = Array.from(this.#by_device).filter(([, point]) => point.limit_w !== null)
      .map(([id, point]) => ({ id, point, chain: this.#chainOf(id) ?? [] }))
      .sort((a, b) => b.chain.length - a.chain.length);
    for (const { id, point: part, chain } of limited) {
      const block_id = this.#devices.get(id)?.device.block_id ?? null;
      for (const { point, factor } of this.#passed(chain, { block_id, to: "limit" })) {
        point.add(part, factor);
        point.points.push(part);
      }
    }
  }

  /** The point whose power is expected of a sensor, if it is known. */
  aimOf(sensor: Sensor): { readonly sensor_no: number; readonly point: Point } | undefined {
    const { sensor_no, device_id } = sensor;
    const point = this.#pointOf(sensor);
    if (!point?.known || point.shares.size + point.storage.length === 0) return undefined;
    const { losses, limit_w } = this.#devices.get(device_id ?? "")?.grid ?? no_grid;
    const counts = this.#by_device.has(device_id ?? "") || losses === 0 && limit_w === null;
    if (counts) return { sensor_no, point };
    const beside = new Point(this.#nextNode(), limit_w);
    beside.add(point, 1 - losses);
    beside.points.push(point);
    const passed = <T extends { readonly factor: number }>(it: T) => (
      { ...it, factor: it.factor * (1 - losses) }
    );
    beside.below = point.below.map(passed);
    beside.storage = point.storage.map(passed);
    return { sensor_no, point: beside };
  }

  /** The inverters that a meter's setpoint reaches (a row without any: none), unless it is all. */
  reachOf(sensor: Sensor): readonly PlannedReach[] {
    const { below } = this.#pointOf(sensor) ?? this.#top;
    if (below.length === this.#top.below.length) return [];
    const { sensor_no } = sensor;
    if (below.length === 0) return [{ sensor_no, part_no: null }];
    return below.map(({ part_no }) => ({ sensor_no, part_no }));
  }

  #pointOf(sensor: Sensor): Point | undefined {
    const device = this.#devices.get(sensor.device_id ?? "")?.device;
    const block = this.#by_block.get(sensor.block_id ?? device?.block_id ?? "");
    const passed = [sensor.device_id ?? "", ...this.#idsAbove(sensor.device_id)]
      .map((id) => this.#by_device.get(id)).find((point) => point !== undefined);
    switch (sensor.component) {
      case "system":
        return this.#top;
      case "block":
        return block ?? passed;
      case "feeder":
      case "transformer":
      case "meter":
        return passed ?? block ?? this.#top;
      default:
        return undefined;
    }
  }

  /** The points that power passes on its way up, with the share that is left of it there. */
  *#passed(
    chain: readonly GridDevice[],
    { block_id, to }: { readonly block_id: string | null; readonly to: "limit" | "top" },
  ): Generator<{ readonly point: Point; readonly factor: number }> {
    let factor = 1;
    let block = block_id;
    for (const { device, grid } of chain) {
      if (block !== null && device.block_id !== block) {
        yield { point: this.#get(this.#by_block, block), factor };
        block = null;
      }
      factor *= 1 - grid.losses;
      yield { point: this.#get(this.#by_device, device.id), factor };
      if (to === "limit" && grid.limit_w !== null) return;
    }
    if (block !== null) yield { point: this.#get(this.#by_block, block), factor };
    yield { point: this.#top, factor };
  }

  #get(points: Map<string, Point>, id: string): Point {
    const known = points.get(id);
    if (known !== undefined) return known;
    const limit_w = points === this.#by_device ? this.#devices.get(id)?.grid.limit_w : null;
    const point = new Point(this.#nextNode(), limit_w);
    points.set(id, point);
    return point;
  }

  /** The devices above one, the nearest first; undefined where they are too many. */
  #chainOf(device_id: string | null): readonly GridDevice[] | undefined {
    const parent = this.#devices.get(device_id ?? "")?.device.parent_device_id ?? null;
    if (parent === null) return [];
    if (this.#chains.has(parent)) return this.#chains.get(parent);
    const chain: GridDevice[] = [];
    let at = this.#devices.get(parent);
    while (at !== undefined && chain.length <= expected_limits.grid_depth) {
      // What reaches the system is the whole site's, by whatever way.
      if (at.device.type !== "system") chain.push(at);
      at = this.#devices.get(at.device.parent_device_id ?? "");
    }
    const whole = chain.length > expected_limits.grid_depth ? undefined : chain;
    this.#chains.set(parent, whole);
    return whole;
  }

  #idsAbove(device_id: string | null): readonly string[] {
    return (this.#chainOf(device_id) ?? []).map(({ device }) => device.id);
  }
}

const no_grid = { losses: 0, limit_w: null };
