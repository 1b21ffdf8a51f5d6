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
import { type CellTargets, Combined, type Numbers, under, within } from "./combined.ts";
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

/** What the matched figures of cells are made of; `clear` comes first. */
export class MatchedSums {
  readonly #means: Readonly<Record<"value" | "model" | "model_setpoint", Combined>>;
  readonly #covered: DaylightShare;

  /** `op` combines the sensors of a cell. */
  constructor(size: number, op: OverSensors | undefined) {
    const mean = () => Combined.of(size, op);
    this.#means = { value: mean(), model: mean(), model_setpoint: mean() };
    this.#covered = new DaylightShare(size);
  }

  clear(size: number): void {
    for (const part of [...Object.values(this.#means), this.#covered]) part.clear(size);
  }

  addDue(plan: AnswerPlan, positions: Positions): void {
    this.#covered.addDue(plan, positions);
  }

  addMinutes(minutes: Float64Array, cells: Int32Array): void {
    this.#covered.add(minutes, cells);
  }

  add(rows: MatchedValues, targets: CellTargets): void {
    for (const name of matched_means) this.#means[name].add(rows[name], targets);
  }

  /** What the first `size` cells are made of, for another to take. */
  sums(size: number): Numbers {
    const means = matched_means.map((name) => under(name, this.#means[name].sums(size)));
    return Object.assign({}, ...means, under("covered", this.#covered.sums(size)));
  }

  /** Adds what cells of another are made of. */
  take(numbers: Numbers, cells: Int32Array): void {
    for (const name of matched_means) this.#means[name].take(within(name, numbers), cells);
    this.#covered.take(within("covered", numbers), cells);
  }

  finish(): MatchedCells {
    const { value, model, model_setpoint } = this.#means;
    return {
      value: value.finish(),
      model: model.finish(),
      model_setpoint: model_setpoint.finish(),
      coverage: this.#covered.finish(),
    };
  }
}

const matched_means = ["value", "model", "model_setpoint"] as const;

/** Reads what is matched of slabs one after the other into the same cells. */
export class MatchedReader {
  readonly #plan: AnswerPlan;
  readonly #sums: MatchedSums;

  /** Has room for slabs of up to `positions` positions; `op` combines the sensors of a cell. */
  constructor(
    plan: AnswerPlan,
    { op, positions }: { readonly op: OverSensors | undefined; readonly positions: number },
  ) {
    this.#plan = plan;
    this.#sums = new MatchedSums(positions * plan.selection.groups.length, op);
  }

  /** What is matched of a slab; good until the next call. */
  async read(
    connection: Connection,
    positions: Positions,
    weight: WeightOf | undefined,
  ): Promise<MatchedSums> {
    const { selection } = this.#plan;
    this.#sums.clear((positions.to - positions.from) * selection.groups.length);
    this.#sums.addDue(this.#plan, positions);
    if (!summed.includes(selection.measure.over_time)) return this.#sums;
    for await (const rows of this.#rows(connection, positions)) {
      const { sensor_no, bucket } = rows;
      const cells = cellsOf(rows, { selection, from: positions.from });
      if ("minutes" in rows) this.#sums.addMinutes(rows.minutes, cells);
      if (!("value" in rows)) continue;
      const weights = weight && Float64Array.from(bucket, (at, i) => weight(sensor_no[i], at));
      this.#sums.add(rows, { cells, weights });
    }
    return this.#sums;
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
}
