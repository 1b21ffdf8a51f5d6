// What can be expected of a tag at most, by rated power: rows that are sent as expected are held
// against it.
import { expected_limits } from "../../model/expected/limits.ts";
import { pvOf } from "../../model/expected/pv.ts";
import { rate_of } from "../../model/plant/measure.ts";
import type { Device, Sensor } from "../../model/plant/plant.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** Why a value can't be expected of a tag, in its raw unit; undefined for one that can. */
export type ExpectedCheck = (value: number) => string | undefined;

/** The checks of tags, kept while the plant stays as it is. */
export class RatedTags {
  readonly #catalog: Catalog;
  #version = -1;
  #checks = new Map<string, ExpectedCheck | undefined>();
  #totals = new Map<number, number | null>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** The check of a tag; undefined where no rated power is known. */
  checkOf(project_no: number, sensor_tag: string): ExpectedCheck | undefined {
    if (this.#version !== this.#catalog.version) {
      this.#version = this.#catalog.version;
      this.#checks = new Map();
      this.#totals = new Map();
    }
    const name = `${project_no}\n${sensor_tag}`;
    if (!this.#checks.has(name)) this.#checks.set(name, this.#make(project_no, sensor_tag));
    return this.#checks.get(name);
  }

  /** Of a tag that is a power and energies, the power counts. */
  #make(project_no: number, sensor_tag: string): ExpectedCheck | undefined {
    const tag = this.#catalog.findTag(project_no, "signal", sensor_tag);
    const sensors = tag ? this.#catalog.sensorsOfTag(tag.tag_no) : [];
    const sensor = sensors.find(({ measure }) => measure === "active_power") ??
      sensors.find(({ measure }) => rate_of.get(measure) === "active_power");
    const rated_w = sensor && this.#ratedOf(sensor);
    return rated_w ? checkBy(sensor, rated_w) : undefined;
  }

  /** Its own, or its inverter's, or what all inverters of its site have; null if not known. */
  #ratedOf({ capacity, device_id, site_no }: Sensor): number | null {
    const device = device_id === null ? undefined : this.#catalog.device(device_id);
    if (capacity !== null) return capacity;
    if (device?.type === "inverter") return this.#ratingOf(device);
    const known = this.#totals.get(site_no);
    if (known !== undefined) return known;
    const ratings = this.#catalog.devices.filter((it) =>
      it.site_no === site_no && it.type === "inverter"
    ).map((it) => this.#ratingOf(it));
    const total = ratings.reduce((sum, it) => sum === null || it === null ? null : sum + it, 0);
    this.#totals.set(site_no, total);
    return total;
  }

  #ratingOf(device: Device): number | null {
    return pvOf(device, this.#catalog.device_models)?.rated_ac_w ?? null;
  }
}

function checkBy(sensor: Sensor, rated_w: number): ExpectedCheck {
  const { scale, accumulation, interval_s } = sensor;
  const offset = accumulation === "counter" ? 0 : sensor.offset;
  const is_amount = accumulation !== "none";
  // An amount of an interval that is not said is one of a day at most.
  const hours = is_amount ? (interval_s ?? 86_400) / 3600 : 1;
  const most = expected_limits.rated_factor * rated_w * hours;
  const unit = is_amount ? "Wh" : "W";
  return (value) => {
    const scaled = value * scale + offset;
    if (!(Math.abs(scaled) > most)) return undefined;
    return `value ${value} comes to ${scaled} ${unit}, over ${most} ${unit} ` +
      `(${expected_limits.rated_factor} × rated): send it in the tag's raw unit, like its ` +
      `samples; ${unit} = value × ${scale}${offset === 0 ? "" : ` + ${offset}`}`;
  };
}
