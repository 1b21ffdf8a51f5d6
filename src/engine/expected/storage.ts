// Finds the storage of a site, each once, and the sensor that measures its power.
import { expected_limits } from "../../model/expected/limits.ts";
import type { ComponentName } from "../../model/plant/measure.ts";
import type { Device, Sensor } from "../../model/plant/plant.ts";

/** Storage at a place in the grid. `sensor` null: what it does is not measured. */
export type Storage = {
  readonly sensor: Pick<Sensor, "tag_no" | "scale" | "offset"> | null;
  readonly device_id: string | null;
  readonly block_id: string | null;
};

/** What can tell the power of storage, the best first: of several at a place one kind counts. */
const kinds: readonly ComponentName[] = [
  "bess_pcs",
  "bess",
  "bess_feeder",
  "bess_block",
  "bess_section",
  "bess_container",
  "bess_meter",
];

/** A device, or what sensors without one stand for; and what it hangs on outside of storage. */
type Unit = Storage & { readonly component: string; readonly place: string };

function isTelling({ component, measure }: Sensor): boolean {
  return measure === "active_power" && kinds.includes(component);
}

/** The storage of a plant's sites. */
export class Storages {
  readonly #devices: ReadonlyMap<string, Device>;
  /** By site, those that no data stream tells of. */
  readonly #silent: ReadonlyMap<number, readonly Device[]>;

  constructor(devices: readonly Device[], sensors: readonly Sensor[]) {
    const storage = devices.filter(({ type }) => type.startsWith("bess"));
    this.#devices = new Map(storage.map((device) => [device.id, device]));
    const told = new Set(sensors.filter(isTelling).map(({ device_id }) => device_id));
    this.#silent = Map.groupBy(
      storage.filter(({ id, type }) => kinds.some((kind) => kind === type) && !told.has(id)),
      ({ site_no }) => site_no,
    );
  }

  /**
   * The storage of one site and data stream. At each place, the first kind counts that is measured
   * whole; where none is, nothing is known of the place.
   */
  of(sensors: readonly Sensor[]): readonly Storage[] {
    const places = Map.groupBy(this.#unitsOf(sensors), ({ place }) => place);
    return Array.from(places.values()).flatMap((units) => {
      const known = kinds.map((kind) => units.filter(({ component }) => component === kind))
        .find((it) => it.length > 0 && it.every(({ sensor }) => sensor !== null));
      return known ?? [{ ...units[0], sensor: null }];
    });
  }

  #unitsOf(sensors: readonly Sensor[]): readonly Unit[] {
    const told = Map.groupBy(
      sensors.filter(isTelling),
      ({ device_id, component, block_id }) => `${component} ${device_id ?? block_id}`,
    );
    const silent = this.#silent.get(sensors[0].site_no) ?? [];
    return [
      ...Array.from(told.values(), ([sensor]) => this.#unit({ ...sensor, sensor })),
      ...silent.map(({ id, type, block_id }) =>
        this.#unit({ component: type, device_id: id, block_id, sensor: null })
      ),
    ];
  }

  #unit({ component, sensor, device_id, block_id }: Omit<Unit, "place">): Unit {
    const device = this.#devices.get(device_id ?? "");
    const own_block = device?.block_id ?? block_id;
    return {
      ...{ component, sensor, device_id, block_id: own_block },
      place: this.#placeOf(device) ?? `block ${own_block}`,
    };
  }

  /** The nearest device above that is no storage; none at the top. */
  #placeOf(device: Device | undefined): string | null {
    let at = device;
    for (let depth = 0; at !== undefined && depth < expected_limits.grid_depth; depth++) {
      const parent = this.#devices.get(at.parent_device_id ?? "");
      if (parent === undefined) return at.parent_device_id;
      at = parent;
    }
    return null;
  }
}
