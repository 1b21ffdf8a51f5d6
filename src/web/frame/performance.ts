// Performance by bucket, as the pages ask for it. Energies in Wh, powers in W, instants in ms.
import { getRows, type Rows } from "./api.ts";

/** What is asked for; days are local ones of the plant, both included. */
export type PerformanceQuery = {
  readonly project_id: string;
  readonly component: string;
  readonly measure: string;
  readonly interval: string;
  readonly from: string;
  readonly to: string;
  readonly group_by: "project_id" | "block_id" | "hierarchy_id";
  readonly columns: readonly string[];
  readonly include?: readonly string[];
  readonly hierarchy_ids?: readonly string[];
  /** Left out: daylight alone. */
  readonly is_whole_day?: boolean;
};

/** The parameters of the request that a query makes. */
export function performanceParams(query: PerformanceQuery) {
  return {
    project_ids: [query.project_id],
    component: query.component,
    component_measure: query.measure,
    time_interval: query.interval,
    dt_start: query.from,
    dt_end: query.to,
    group_by: [query.group_by],
    hierarchy_ids: query.hierarchy_ids,
    use_solar_bounds: query.is_whole_day ? false : undefined,
    include: [...query.include ?? [], "ts_utc"],
    columns: ["ts_utc", ...query.columns].join(","),
  };
}

export const performance_path = "/platform/v1/performance-v2";

/** The rows of a query: `ts_utc` first, then its columns. Throws a `Problem`. */
export function getPerformance(query: PerformanceQuery, signal?: AbortSignal): Promise<Rows> {
  return getRows(performance_path, performanceParams(query), signal);
}

/**
 * What is expected: the service says 0 where no model covers a bucket, as where its weather has not
 * come yet; of that nothing is known. `coverage` tells it from the 0 of a dark minute.
 */
export function expectedOf(model: Float64Array, coverage: Float64Array): Float64Array {
  return model.map((value, i) => value === 0 && coverage[i] === 0 ? NaN : value);
}

/** The first `length` rows that begin before an instant, of rows in the order of time. */
export function lengthBefore(instants: Float64Array, before_ms: number): number {
  const i = instants.findIndex((at) => at >= before_ms);
  return i < 0 ? instants.length : i;
}

/** The sum of the numbers there are; NaN where there is none. */
export function sumOf(values: ArrayLike<number>): number {
  let sum = NaN;
  for (let i = 0; i < values.length; i++) {
    if (!Number.isNaN(values[i])) sum = (Number.isNaN(sum) ? 0 : sum) + values[i];
  }
  return sum;
}

/**
 * The expected value over matched minutes as setpoints allow, bucket by bucket, of the row's
 * matched columns. Of a bucket in which nothing was made it is the expected one, and nothing where
 * the setpoint allowed nothing.
 */
export function allowedOf(
  measured: Float64Array,
  expected: Float64Array,
  index_setpoint: Float64Array,
): Float64Array {
  return expected.map((it, i) => {
    const index = index_setpoint[i];
    if (index === 0 || Number.isNaN(it)) return it;
    return Number.isNaN(index) ? 0 : measured[i] / index;
  });
}

/** The losses that have a name. */
export const named_losses = [
  "unavailability",
  "grid",
  "curtailment",
  "clipping",
  "derate",
  "dc",
  "snow",
  "soiling",
] as const;
export type NamedLoss = typeof named_losses[number];

/** Every loss: those that have a name, and what nothing tells of. */
export const all_losses = [...named_losses, "other"] as const;
export type Loss = typeof all_losses[number];
