// Works out a query in PromQL over the signals of a project, at instants.
import { assert } from "../../base/assert.ts";
import { Fault } from "../../base/fault.ts";
import { numbersOf } from "../../model/data/chunk.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { type PromExpr, range_functions } from "../../model/samples/prom_expr.ts";
import { quality_names } from "../../model/samples/sample.ts";
import type { Project } from "../../model/plant/plant.ts";
import { statistics_limits } from "../../model/statistics/limits.ts";
import { minute_us } from "../../model/time/series.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { readPiece } from "../../store/performance/performance.ts";
import { readSeries } from "../../store/samples/series.ts";
import { type Catalog, day_us } from "../catalog/catalog.ts";
import { requireKept } from "../catalog/horizon.ts";
import { holdOf } from "../samples/series.ts";
import {
  aggregate,
  type Binary,
  combine,
  distinct,
  type PromResult,
  type PromRow,
  rowsOf,
  unnamed,
} from "./prom_combine.ts";
import {
  type PromCatalog,
  type PromSeries,
  QueryTurns,
  requireFew,
  tooMuch,
} from "./prom_series.ts";

type Selector = PromExpr & { readonly kind: "selector" };
/** The samples of a tag by time; NaN for one that is bad. */
type Samples = { readonly times_us: number[]; readonly values: number[] };

/** What a query works on. */
export type PromParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly series: PromCatalog;
};

/** One query at its instants, which rise, in microseconds. */
export class PromQuery {
  readonly #parts: PromParts;
  readonly #project: Project;
  readonly #instants: readonly number[];
  readonly #signal: AbortSignal;
  readonly #turns: QueryTurns;
  #samples = 0;
  #made = 0;

  constructor(
    parts: PromParts,
    project: Project,
    asked: { readonly instants_us: readonly number[]; readonly signal: AbortSignal },
  ) {
    this.#parts = parts;
    this.#project = project;
    this.#instants = asked.instants_us;
    this.#signal = asked.signal;
    this.#turns = new QueryTurns(asked.signal);
  }

  /**
   * What a query is worth at each instant. Throws a `Fault`: too_large where it takes too
   * many series or samples, gone where they are no longer kept, invalid where it
   * can't be read or operands don't fit.
   */
  async answer(query: string): Promise<PromResult> {
    // A start has no use for its packages.
    const { parsePromQl } = await import("../../wire/samples/promql.ts");
    return await this.#worth(parsePromQl(query));
  }

  async #worth(expr: PromExpr): Promise<PromResult> {
    switch (expr.kind) {
      case "number":
        return { kind: "scalar", values: this.#instants.map(() => expr.value) };
      case "selector":
        if (expr.range_us !== null) throw aRange();
        return { kind: "vector", rows: await this.#newest(expr) };
      case "call":
        return { kind: "vector", rows: distinct(await this.#windows(expr)) };
      case "aggregate":
        return await this.#aggregated(expr);
      case "binary":
        return await this.#combined(expr);
    }
  }

  async #aggregated(expr: PromExpr & { readonly kind: "aggregate" }): Promise<PromResult> {
    const rows = rowsOf(await this.#worth(expr.operand));
    await this.#make(rows.length);
    return { kind: "vector", rows: aggregate(expr, rows) };
  }

  async #combined(expr: Binary): Promise<PromResult> {
    const left = await this.#worth(expr.left);
    const right = await this.#worth(expr.right);
    await this.#make(
      Math.max(...[left, right].map((of) => of.kind === "vector" ? of.rows.length : 1)),
    );
    return combine(expr, left, right);
  }

  /** Counts the values of so many rows, before they are made. */
  async #make(rows: number): Promise<void> {
    const values = rows * this.#instants.length;
    this.#made += values;
    if (this.#made > sample_limits.prom_made) throw tooMuch("values");
    await this.#turns.take(combined_steps * values);
  }

  /** The newest sample of each series at each instant, where it stands. */
  async #newest(selector: Selector): Promise<PromRow[]> {
    const rows: PromRow[] = [];
    for (const [series, { times_us, values }] of await this.#load(selector)) {
      const hold_us = standsFor(series);
      let at = -1;
      const found = this.#instants.map((instant_us) => {
        const end_us = instant_us - selector.offset_us;
        while (at + 1 < times_us.length && times_us[at + 1] <= end_us) at++;
        const stands = at >= 0 && times_us[at] > end_us - hold_us && !Number.isNaN(values[at]);
        return stands ? values[at] : undefined;
      });
      await this.#turns.take(found.length + times_us.length);
      if (found.some((value) => value !== undefined)) {
        rows.push({ labels: series.labels, values: found });
      }
    }
    return rows;
  }

  /** What a function makes of the samples in the window before each instant. */
  async #windows({ name, selector }: PromExpr & { readonly kind: "call" }): Promise<PromRow[]> {
    const work: (window: Parameters<typeof range_functions.rate>[0]) => number | undefined =
      range_functions[name];
    const range_us = selector.range_us!;
    const rows: PromRow[] = [];
    for (const [series, samples] of await this.#load(selector)) {
      const good = samples.values.flatMap((value, i) => Number.isNaN(value) ? [] : [i]);
      const times_us = good.map((i) => samples.times_us[i]);
      const values = good.map((i) => samples.values[i]);
      let [from, to, visits] = [0, 0, 0];
      const found = this.#instants.map((instant_us) => {
        const end_us = instant_us - selector.offset_us;
        while (to < values.length && times_us[to] <= end_us) to++;
        while (from < to && times_us[from] <= end_us - range_us) from++;
        visits += to - from;
        if (visits > sample_limits.prom_steps) throw tooMuch("steps");
        return from === to ? undefined : work({ times_us, values, from, to, end_us, range_us });
      });
      await this.#turns.take(visits + found.length);
      const labels = name === "last_over_time" ? series.labels : unnamed(series.labels);
      if (found.some((value) => value !== undefined)) rows.push({ labels, values: found });
    }
    return rows;
  }

  /** What the selected series have that a query can see. */
  async #load(selector: Selector): Promise<ReadonlyMap<PromSeries, Samples>> {
    const { series } = this.#parts;
    const all = requireFew(
      await series.select(this.#project, [selector.matchers], this.#turns),
    );
    const loaded = new Map<PromSeries, Samples>(
      all.map((series) => [series, { times_us: [], values: [] }]),
    );
    if (all.length === 0) return loaded;
    if (all.length * this.#instants.length > sample_limits.prom_cells) throw tooMuch("values");
    await this.#make(all.length);
    const back_us = selector.range_us ?? Math.max(...all.map(standsFor));
    const from_us = Math.max(0, this.#instants[0] - selector.offset_us - back_us + 1);
    const to_us = this.#instants.at(-1)! - selector.offset_us + 1;
    const series_days = all.length * (to_us - from_us) / day_us;
    if (series_days > statistics_limits.sensor_days) throw tooMuch("days of series");
    requireKept(this.#parts.catalog, {
      from_us,
      reads: all.map(({ tag: { tag_no }, from: { kind } }) => (
        { tag_no, kept: kind === "samples" ? "samples" : "minutes" }
      )),
    });
    await this.#read(loaded, { from_us, to_us });
    return loaded;
  }

  /** In portions of time, so that what is too much is known before all of it is read. */
  async #read(loaded: ReadonlyMap<PromSeries, Samples>, { from_us, to_us }: Span): Promise<void> {
    const step_us = Math.ceil(statistics_limits.days_per_read * day_us / loaded.size);
    const [measured, expected] = [
      [...loaded].filter(([{ from }]) => from.kind === "samples"),
      [...loaded].filter(([{ from }]) => from.kind !== "samples"),
    ];
    await this.#parts.database.read(async (connection) => {
      for (let at_us = from_us; at_us < to_us; at_us += step_us) {
        const span = { from_us: at_us, to_us: Math.min(at_us + step_us, to_us) };
        await this.#readSamples(connection, measured, span);
        await this.#readMinutes(connection, expected, span);
      }
    }, this.#signal);
  }

  async #readSamples(connection: Connection, all: readonly Loaded[], span: Span): Promise<void> {
    if (all.length === 0) return;
    const by_tag = Map.groupBy(all, ([{ tag }]) => tag.tag_no);
    const tags = Int32Array.from(by_tag.keys()).sort();
    for (const { rows, vectors } of await readSeries(connection, { tags, ...span })) {
      const [tag_no, ts, number, , quality] = vectors;
      assert(tag_no.kind === "int32" && quality.kind === "int32", "32-bit columns");
      assert(ts.kind === "int64", "64-bit columns");
      this.#take(rows);
      const values = numbersOf(number);
      for (let i = 0; i < rows; i++) {
        const value = quality.values[i] < bad ? values[i] : NaN;
        for (const [{ from }, samples] of by_tag.get(tag_no.values[i])!) {
          if (from.kind !== "samples") continue;
          samples.times_us.push(Number(ts.values[i]));
          samples.values.push(value * from.scale + from.offset);
        }
      }
    }
  }

  async #readMinutes(connection: Connection, all: readonly Loaded[], span: Span): Promise<void> {
    if (all.length === 0) return;
    const by_sensor = Map.groupBy(
      all,
      ([{ from }]) => from.kind === "samples" ? -1 : from.sensor_no,
    );
    const sensors = Int32Array.from(by_sensor.keys()).sort();
    const has_setpoint = all.some(([{ from }]) => from.kind === "model_setpoint");
    const tags = Int32Array.from(new Set(all.map(([{ tag }]) => tag.tag_no)));
    const reading = { sensors, tags, over_time: "mean", light_only: false, has_setpoint } as const;
    // Local days: up to a day off those of UTC.
    const piece = {
      from_day: Math.floor(span.from_us / day_us) - 1,
      to_day: Math.floor(span.to_us / day_us) + 2,
      from_minute: Math.ceil(span.from_us / minute_us),
      to_minute: Math.ceil(span.to_us / minute_us),
      ...{ shift: 0, width: 1 },
    };
    const found: { readonly samples: Samples; readonly minute: number; readonly value: number }[] =
      [];
    for await (const rows of readPiece(connection, reading, { source: "minute", piece })) {
      const { sensor_no, bucket } = rows;
      this.#take(bucket.length);
      for (let i = 0; i < bucket.length; i++) {
        for (const [{ from }, samples] of by_sensor.get(sensor_no[i])!) {
          if (from.kind === "samples") continue;
          found.push({ samples, minute: bucket[i], value: rows[from.kind][i] });
        }
      }
    }
    // They come in no order.
    for (const { samples, minute, value } of found.sort((a, b) => a.minute - b.minute)) {
      samples.times_us.push(minute * minute_us);
      samples.values.push(value);
    }
  }

  #take(rows: number): void {
    this.#samples += rows;
    if (this.#samples > sample_limits.prom_samples) throw tooMuch("samples");
  }
}

/** What a value of an aggregation or an operation costs, as samples that are looked at. */
const combined_steps = 5;

type Loaded = readonly [PromSeries, Samples];
type Span = { readonly from_us: number; readonly to_us: number };

const bad = quality_names.indexOf("bad");

/** How long a value of a series stands: those of minutes for their minute. */
function standsFor({ tag, from }: PromSeries): number {
  return from.kind === "samples" ? holdOf(tag) : minute_us;
}

function aRange(): Fault {
  return new Fault("invalid", "a range, such as [5m], belongs into a function: avg_over_time(…)");
}
