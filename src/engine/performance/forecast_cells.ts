// The forecasts of cells: of the runs that a cell's sensors are told by, the latest is the cell's.
import type { OverSensors } from "../../model/plant/measure.ts";
import type { ForecastValues } from "./aggregates.ts";
import { type CellTargets, Combined, type Numbers, under, within } from "./combined.ts";

/** Cells that are filled forecast by forecast; `clear` comes first. */
export class ForecastCells {
  readonly #value: Combined;
  readonly #issued_us: Float64Array;
  readonly #lead_minutes: Int32Array;

  /** `op` combines the sensors of a cell. */
  constructor(size: number, op: OverSensors | undefined) {
    this.#value = Combined.of(size, op);
    this.#issued_us = new Float64Array(size);
    this.#lead_minutes = new Int32Array(size);
  }

  clear(size: number): void {
    this.#value.clear(size);
    this.#issued_us.fill(NaN, 0, size);
  }

  /** Adds values, and from which run each is. */
  add(values: Float64Array, targets: CellTargets, runs: Numbers): void {
    this.#value.add(values, targets);
    this.#choose(runs, targets.cells);
  }

  /** Of runs that were issued at once, the one with the least time to a bucket. */
  #choose({ issued_us, lead_minutes }: Numbers, cells: Int32Array): void {
    for (let i = 0; i < cells.length; i++) {
      const [cell, issued, lead] = [cells[i], issued_us[i], lead_minutes[i]];
      if (Number.isNaN(issued) || issued < this.#issued_us[cell]) continue;
      if (issued === this.#issued_us[cell] && lead >= this.#lead_minutes[cell]) continue;
      this.#issued_us[cell] = issued;
      this.#lead_minutes[cell] = lead;
    }
  }

  /** What the first `size` cells are made of, for another to take. */
  sums(size: number): Numbers {
    return {
      ...under("value", this.#value.sums(size)),
      issued_us: this.#issued_us.subarray(0, size),
      lead_minutes: Float64Array.from(this.#lead_minutes.subarray(0, size)),
    };
  }

  /** Adds what cells of another are made of. */
  take(numbers: Numbers, cells: Int32Array): void {
    this.#value.take(within("value", numbers), cells);
    this.#choose(numbers, cells);
  }

  /** The cells' own arrays, valid until `clear`. */
  finish(): ForecastValues {
    const [issued_us, lead_minutes] = [this.#issued_us, this.#lead_minutes];
    return { value: this.#value.finish(), issued_us, lead_minutes };
  }
}
