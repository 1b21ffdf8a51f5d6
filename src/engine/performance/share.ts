// Shares of a slab's daylight: of all its minutes of all sensors of a cell, those that count.
import { dayPositions, type Positions } from "../../model/time/bucket.ts";
import type { Connection } from "../../store/connection.ts";
import { type CountedMinutes, readLent, readLentDays } from "../../store/performance/minutes.ts";
import { addPlain, type Numbers } from "./combined.ts";
import { addDaylight } from "./daylight.ts";
import { type AnswerPlan, cellsOf } from "./reading.ts";

/** Minutes of daylight of cells: those that count, of all that there are. */
export class DaylightShare {
  readonly #counted: Float64Array;
  readonly #due: Float64Array;

  constructor(size: number) {
    this.#counted = new Float64Array(size);
    this.#due = new Float64Array(size);
  }

  clear(size: number): void {
    for (const minutes of [this.#counted, this.#due]) minutes.fill(0, 0, size);
  }

  /** Adds all of the daylight of a plan's sensors. */
  addDue(plan: AnswerPlan, positions: Positions): void {
    addDaylight(this.#due, plan, positions);
  }

  /** Adds minutes that count. */
  add(minutes: Float64Array, cells: Int32Array): void {
    minutes.forEach((some, i) => this.#counted[cells[i]] += some || 0);
  }

  /** What the first `size` cells are made of, for another to take. */
  sums(size: number): Numbers {
    return { counted: this.#counted.subarray(0, size), due: this.#due.subarray(0, size) };
  }

  /** Adds what cells of another are made of. */
  take({ counted, due }: Numbers, cells: Int32Array): void {
    addPlain(this.#counted, cells, counted);
    addPlain(this.#due, cells, due);
  }

  /** The share of each cell, 0 to 1; NaN without daylight. */
  finish(): Float64Array {
    return this.#due.map((minutes, i) => Math.min(this.#counted[i] / minutes, 1));
  }
}

/** What share of the daylight has an expected value that stands on another site's weather. */
export async function readFallbackShare(
  connection: Connection,
  plan: AnswerPlan,
  positions: Positions,
): Promise<DaylightShare> {
  const { request, selection, axis } = plan;
  const share = new DaylightShare((positions.to - positions.from) * selection.groups.length);
  share.addDue(plan, positions);
  const add = (rows: CountedMinutes) =>
    share.add(rows.minutes, cellsOf(rows, { selection, from: positions.from }));
  for (const { timezone, sensor_nos } of selection.zones) {
    if (axis.day_starts) {
      const days = dayPositions(axis.day_starts, request.range, positions);
      if (days.buckets.length === 0) continue;
      for await (const rows of readLentDays(connection, sensor_nos, days)) add(rows);
      continue;
    }
    for (const piece of axis.piecesOf(timezone, positions)) {
      for await (const rows of readLent(connection, sensor_nos, piece)) add(rows);
    }
  }
  return share;
}
