// The matched figures of a slab: measured beside expected over the same minutes, and how much of
// the daylight these cover.
import type { OverSensors, OverTime } from "../../model/plant/measure.ts";
import { dayPositions, type Positions } from "../../model/time/bucket.ts";
import type { Connection } from "../../store/connection.ts";
import {
  type MatchedValues,
  readMatched,
  readMatchedDays,
} from "../../store/performance/matched.ts";
import { type CountedMinutes, readCovered } from "../../store/performance/minutes.ts";
import { Combined } from "./aggregates.ts";
import { type AnswerPlan, cellsOf, pieceSource } from "./reading.ts";
import { DaylightShare } from "./share.ts";
import type { WeightOf } from "./weight.ts";

/**
 * Four values a cell, NaN where nothing is matched; `coverage` is the share, 0 to 1, of the minutes
 * of daylight of all sensors that is matched, NaN without daylight.
 */
export type MatchedCells = Readonly<
  Record<"value" | "model" | "model_setpoint" | "coverage", Float64Array>
>;

/** How values aggregate whose matched minutes can be summed: others have no matched figures. */
const summed: readonly OverTime[] = ["mean", "time_weighted_mean", "increment"];

/** Reads what is matched of slabs one after the other into the same cells. */
export class MatchedReader {
  readonly #plan: AnswerPlan;
  readonly #value: Combined;
  readonly #model: Combined;
  readonly #model_setpoint: Combined;

  /** Has room for slabs of up to `positions` positions; `op` combines the sensors of a cell. */
  constructor(
    plan: AnswerPlan,
    { op, positions }: { readonly op: OverSensors | undefined; readonly positions: number },
  ) {
    const size = positions * plan.selection.groups.length;
    this.#plan = plan;
    this.#value = Combined.of(size, op);
    this.#model = Combined.of(size, op);
    this.#model_setpoint = Combined.of(size, op);
  }

  /** What is matched of a slab; the values are good until the next call. */
  async read(
    connection: Connection,
    positions: Positions,
    weight: WeightOf | undefined,
  ): Promise<MatchedCells> {
    const cells = (positions.to - positions.from) * this.#plan.selection.groups.length;
    for (const part of [this.#value, this.#model, this.#model_setpoint]) part.clear(cells);
    const covered = new DaylightShare(this.#plan, positions);
    if (summed.includes(this.#plan.selection.measure.over_time)) {
      for await (const rows of this.#rows(connection, positions)) {
        if ("minutes" in rows) covered.add(rows);
        if ("value" in rows) this.#add(rows, positions.from, weight);
      }
    }
    return {
      value: this.#value.finish(),
      model: this.#model.finish(),
      model_setpoint: this.#model_setpoint.finish(),
      coverage: covered.finish(),
    };
  }

  async *#rows(
    connection: Connection,
    positions: Positions,
  ): AsyncGenerator<MatchedValues | CountedMinutes, void> {
    const { request, selection, axis } = this.#plan;
    const is_amount = selection.measure.over_time === "increment";
    for (const { timezone, sensor_nos } of selection.zones) {
      const reading = { sensors: sensor_nos, is_amount, light_only: request.use_solar_bounds };
      if (axis.day_starts) {
        const days = dayPositions(axis.day_starts, request.range, positions);
        if (days.buckets.length > 0) yield* readMatchedDays(connection, reading, days);
        continue;
      }
      for (const piece of axis.piecesOf(timezone, positions)) {
        yield* readMatched(connection, reading, { piece, source: pieceSource(piece, request) });
        yield* readCovered(connection, sensor_nos, piece);
      }
    }
  }

  #add(rows: MatchedValues, from: number, weight: WeightOf | undefined): void {
    const { sensor_no, bucket } = rows;
    const cells = cellsOf(rows, { selection: this.#plan.selection, from });
    const weights = weight && Float64Array.from(bucket, (at, i) => weight(sensor_no[i], at));
    this.#value.add(rows.value, { cells, weights });
    this.#model.add(rows.model, { cells, weights });
    this.#model_setpoint.add(rows.model_setpoint, { cells, weights });
  }
}
