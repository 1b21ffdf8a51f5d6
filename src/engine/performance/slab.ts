// The slabs of an answer: consecutive buckets of all groups, read from this database.
import { giveWay, isLongTurn } from "../../base/effects.ts";
import { release } from "../../base/heap.ts";
import type { Positions } from "../../model/time/bucket.ts";
import type { Connection } from "../../store/connection.ts";
import type { Readings } from "../../store/performance/performance.ts";
import { Cells, type Slab } from "./aggregates.ts";
import { ForecastReader } from "./forecast.ts";
import { MatchedReader } from "./matched.ts";
import { type AnswerPlan, cellsOf, isOneRead, readAll } from "./reading.ts";
import { readFallbackShare } from "./share.ts";
import { opOf, SlabSums } from "./slab_sums.ts";
import { StatisticsReader } from "./statistics.ts";
import { weigherOf, type WeightOf } from "./weight.ts";

/** Reads slabs one after the other into the same cells. */
export class SlabReader {
  readonly #plan: AnswerPlan;
  readonly #cells: Cells;
  readonly #weigher: ReturnType<typeof weigherOf>;
  readonly #forecasts: ForecastReader | undefined;
  readonly #matched: MatchedReader | undefined;
  readonly #statistics: StatisticsReader | undefined;

  /** Has room for slabs of up to `positions` positions. */
  constructor(plan: AnswerPlan, positions: number) {
    this.#plan = plan;
    const op = opOf(plan);
    const { forecast, matched, statistics } = plan.request;
    this.#cells = new Cells(positions * plan.selection.groups.length, op);
    this.#weigher = weigherOf(plan);
    this.#forecasts = forecast && new ForecastReader(plan, { op, positions, ...forecast });
    this.#matched = matched ? new MatchedReader(plan, { op, positions }) : undefined;
    this.#statistics = statistics && new StatisticsReader(plan, { op, ...statistics });
  }

  /** The slab of those positions, of one snapshot; its values are good until the next call. */
  async read(connection: Connection, positions: Positions): Promise<Slab> {
    return { positions, values: (await this.sums(connection, positions)).finish() };
  }

  /** What its cells are made of, for as long. A single statement is of one snapshot by itself. */
  async sums(connection: Connection, positions: Positions): Promise<SlabSums> {
    const read = () => this.#read(connection, positions);
    const { wholes, wholes: { notes } } = connection;
    if (this.#isLone(connection, positions)) {
      const sums = await read();
      // It did not look for whole quarter-hours that were stored meanwhile.
      if (wholes.notes === notes) return sums;
    }
    return await connection.transaction(read);
  }

  #isLone(connection: Connection, positions: Positions): boolean {
    const { evidence } = this.#plan.request;
    const others = [evidence, this.#weigher, this.#forecasts, this.#matched, this.#statistics];
    return !others.some(Boolean) && isOneRead(connection, this.#plan, positions);
  }

  async #read(connection: Connection, positions: Positions): Promise<SlabSums> {
    const { request, selection, selection: { zones, measure, groups } } = this.#plan;
    const weight = await this.#weigher?.(connection, positions);
    const wanted = { zones, positions, over_time: measure.over_time };
    this.#cells.clear((positions.to - positions.from) * groups.length);
    for await (const readings of readAll(connection, this.#plan, wanted)) {
      const cells = cellsOf(readings, { selection, from: positions.from });
      this.#cells.add(readings, { cells, weights: weight && weightsOf(readings, weight) });
      release(cells);
      if (isLongTurn()) await giveWay();
    }
    return new SlabSums(this.#cells, {
      forecast: await this.#forecasts?.read(connection, positions, weight),
      matched: await this.#matched?.read(connection, positions, weight),
      statistics: await this.#statistics?.read(connection, positions, weight),
      fallback: request.evidence
        ? await readFallbackShare(connection, this.#plan, positions)
        : undefined,
    });
  }
}

function weightsOf({ sensor_no, bucket }: Readings, weight: WeightOf): Float64Array {
  return Float64Array.from(bucket, (position, i) => weight(sensor_no[i], position));
}
