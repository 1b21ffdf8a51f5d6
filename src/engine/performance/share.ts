// Shares of a slab's daylight: of all its minutes of all sensors of a cell, those that count.
import { dayPositions, type Positions } from "../../model/time/bucket.ts";
import type { Connection } from "../../store/connection.ts";
import { type CountedMinutes, readLent, readLentDays } from "../../store/performance/minutes.ts";
import { addDaylight } from "./daylight.ts";
import { type AnswerPlan, cellsOf } from "./reading.ts";

/** Adds up the minutes that count. */
export class DaylightShare {
  readonly #plan: AnswerPlan;
  readonly #positions: Positions;
  readonly #counted: Float64Array;

  constructor(plan: AnswerPlan, positions: Positions) {
    this.#plan = plan;
    this.#positions = positions;
    const size = (positions.to - positions.from) * plan.selection.groups.length;
    this.#counted = new Float64Array(size);
  }

  add(rows: CountedMinutes): void {
    const { selection } = this.#plan;
    const cells = cellsOf(rows, { selection, from: this.#positions.from });
    rows.minutes.forEach((minutes, i) => this.#counted[cells[i]] += minutes || 0);
  }

  /** The share of each cell, 0 to 1; NaN without daylight. */
  finish(): Float64Array {
    const due = new Float64Array(this.#counted.length);
    addDaylight(due, this.#plan, this.#positions);
    return due.map((minutes, i) => Math.min(this.#counted[i] / minutes, 1));
  }
}

/** What share of the daylight has an expected value that stands on another site's weather. */
export async function readFallbackShare(
  connection: Connection,
  plan: AnswerPlan,
  positions: Positions,
): Promise<Float64Array> {
  const { request, selection, axis } = plan;
  const share = new DaylightShare(plan, positions);
  for (const { timezone, sensor_nos } of selection.zones) {
    if (axis.day_starts) {
      const days = dayPositions(axis.day_starts, request.range, positions);
      if (days.buckets.length === 0) continue;
      for await (const rows of readLentDays(connection, sensor_nos, days)) share.add(rows);
      continue;
    }
    for (const piece of axis.piecesOf(timezone, positions)) {
      for await (const rows of readLent(connection, sensor_nos, piece)) share.add(rows);
    }
  }
  return share.finish();
}
