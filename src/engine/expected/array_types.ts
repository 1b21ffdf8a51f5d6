// Plans inverters: those that are alike, under the same weather, share one node.
import type { Device, Site } from "../../model/plant/plant.ts";
import { type Mount, pvOf, type PvParams } from "../../model/expected/pv.ts";
import type {
  PlannedCell,
  PlannedCurve,
  PlannedKind,
  PlannedPlane,
  PlannedStated,
} from "../../store/expected/plan.ts";
import type { Plant } from "../../store/plant/plant.ts";

/** An inverter's parameters, and where it stands. */
export type KindPlace = {
  readonly params: PvParams;
  readonly pool_no: number;
  readonly site_no: number;
  readonly area_no: number;
};

/** The nodes of inverters and what they are worked out from, each number given once. */
export class Kinds {
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
export function paramsReader(plant: Plant): (device: Device) => PvParams | null {
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
