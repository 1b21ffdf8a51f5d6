// One stretch of a performance answer: the readings of its buckets combined into cells.
import type { Positions } from "../../model/time/bucket.ts";
import type { Connection } from "../../store/connection.ts";
import type { Readings } from "../../store/performance/performance.ts";
import { Cells, type CellValues } from "./aggregates.ts";
import { ForecastReader } from "./forecast.ts";
import { type Plan, readAll } from "./reading.ts";
import { weigherOf, type WeightOf } from "./weight.ts";

/** Consecutive positions of the axis and their cells, group by group within a position. */
export type Slab = { readonly positions: Positions; readonly values: CellValues };

/** Reads slabs one after the other into the same cells. */
export class SlabReader {
  readonly #plan: Plan;
  readonly #cells: Cells;
  readonly #weigher: ReturnType<typeof weigherOf>;
  readonly #forecasts: ForecastReader | undefined;

  /** Has room for slabs of up to `positions` positions. */
  constructor(plan: Plan, positions: number) {
    const { groups, sensors, measure } = plan.selection;
    const single = groups.length === sensors.length;
    this.#plan = plan;
    const op = single ? undefined : measure.over_sensors;
    const { forecast } = plan.request;
    this.#cells = new Cells(positions * groups.length, op);
    this.#weigher = weigherOf(plan);
    this.#forecasts = forecast && new ForecastReader(plan, { op, positions, ...forecast });
  }

  /** The slab of those positions; its values are good until the next call. */
  async read(connection: Connection, positions: Positions): Promise<Slab> {
    const { zones, measure, groups } = this.#plan.selection;
    const weight = await this.#weigher?.(connection, positions);
    const wanted = { zones, positions, over_time: measure.over_time };
    this.#cells.clear((positions.to - positions.from) * groups.length);
    for await (const readings of readAll(connection, this.#plan, wanted)) {
      const cells = cellsOf(readings, this.#plan.selection, positions.from);
      this.#cells.add(readings, { cells, weights: weight && weightsOf(readings, weight) });
    }
    const forecast = await this.#forecasts?.read(connection, positions, weight);
    return { positions, values: { ...this.#cells.finish(), forecast } };
  }
}

type Grouped = { readonly groups: readonly unknown[]; readonly group_of: Int32Array };

/** The cell of each row. */
function cellsOf(
  { sensor_no, bucket }: Readings,
  { groups, group_of }: Grouped,
  from: number,
): Int32Array {
  const cells = new Int32Array(bucket.length);
  const width = groups.length;
  for (let i = 0; i < cells.length; i++) {
    cells[i] = (bucket[i] - from) * width + group_of[sensor_no[i]];
  }
  return cells;
}

function weightsOf({ sensor_no, bucket }: Readings, weight: WeightOf): Float64Array {
  return Float64Array.from(bucket, (position, i) => weight(sensor_no[i], position));
}
