// Computes the values that SQL can't: job by job, from the samples that are loaded around each job.
import { rollup_limits } from "../../model/rollup/limits.ts";
import { type CounterMinutes, countReadings, withSpans } from "../../model/counters/count.ts";
import type { CounterEvent } from "../../model/counters/event.ts";
import { counter_limits } from "../../model/counters/limits.ts";
import { CounterReadings, firstAt, type Reset } from "../../model/counters/readings.ts";
import { addIntervals, holdMeans, integrate } from "../../model/rollup/amount.ts";
import {
  minute_us,
  type MinuteValues,
  noValues,
  type Readings,
  usableOf,
} from "../../model/time/series.ts";
import type { Connection } from "../../store/connection.ts";
import { putEvents } from "../../store/counters/event.ts";
import { readResets } from "../../store/counters/reset.ts";
import type { DueUnits } from "../../store/rollup/due.ts";
import {
  findSampledTags,
  type Job,
  loadSamples,
  type MinuteRows,
  no_span,
  putValues,
  type Window,
} from "../../store/rollup/job.ts";

const quarter_us = 900_000_000;
const hour_us = 3_600_000_000;
const second_us = 1_000_000;

/** Jobs to be computed from the samples of minutes before `over_minute`. */
type Jobs = { readonly jobs: readonly Job[]; readonly over_minute: number };

/** The quarter-hours, up to that of `over_minute`, that touched samples of the jobs can change. */
export async function affectedUnits(
  connection: Connection,
  { jobs, over_minute }: Jobs,
): Promise<DueUnits> {
  const end_quarter = Math.ceil(over_minute / 15);
  const sensor_no: number[] = [];
  const quarter: number[] = [];
  const remodel: number[] = [];
  const take = (job: Job, from_us: number, to_us: number) => {
    const end = Math.min(Math.ceil(to_us / quarter_us), end_quarter);
    for (let q = Math.floor(from_us / quarter_us); q < end; q++) {
      sensor_no.push(job.sensor_no);
      quarter.push(q);
      remodel.push(job.lane === "value" ? 0 : 1);
    }
  };
  for (const job of jobs.filter((job) => job.how !== "counter")) {
    const { before_us, after_us } = reachOf(job);
    take(job, job.from_quarter * quarter_us - before_us, job.to_quarter * quarter_us + after_us);
  }
  const counters = jobs.filter((job) => job.how === "counter");
  for await (const { job, counter } of loaded(connection, { jobs: counters, over_minute })) {
    const from_us = job.from_quarter * quarter_us;
    const to_us = job.to_quarter * quarter_us;
    const { ts } = counter!;
    const first = Math.max(counter!.syncBefore(from_us), 0);
    // Where there is none it is -1, and the last reading of all is the end.
    const end_us = ts.at(counter!.syncAfter(to_us)) ?? to_us;
    take(job, Math.min(ts[first] ?? from_us, from_us), Math.max(end_us + 1, to_us));
  }
  return {
    sensor_no: Int32Array.from(sensor_no),
    quarter: Int32Array.from(quarter),
    remodel: Uint8Array.from(remodel),
  };
}

/**
 * Computes the jobs' minutes before `over_minute` and puts them where the readings are made from,
 * and what happened to counters where it is set against what is stored.
 */
export async function putJobValues(
  connection: Connection,
  { jobs, over_minute }: Jobs,
): Promise<void> {
  const out = { value: new ValueRows(), model: new ValueRows(), setpoint: new ValueRows() };
  const events: CounterEvent[] = [];
  for await (const item of loaded(connection, { jobs, over_minute })) {
    const { job } = item;
    // Whether a setpoint is contradicted takes some minutes around, and whether power fell in them.
    const around = job.how === "setpoint" ? rollup_limits.contradiction_minutes : 0;
    const minutes = noValues({
      from_minute: job.from_quarter * 15 - around,
      to_minute: Math.min(job.to_quarter * 15 + around, over_minute),
    });
    if (item.counter) {
      const counted = withSpans(minutes);
      for (const event of count(counted, job, item.counter)) events.push(event);
      out[job.lane].add(job.sensor_no, counted);
    } else {
      fill(minutes, job, item.readings);
      out[job.lane].add(job.sensor_no, minutes);
    }
  }
  for (const lane of ["value", "model", "setpoint"] as const) {
    await putValues(connection, lane, out[lane].rows());
  }
  await putEvents(connection, events);
}

/** Fills `minutes` with the job's values. */
function fill(minutes: MinuteValues, job: Job, readings: Readings): void {
  const { scale, offset } = job;
  if (job.how === "hold" || job.how === "setpoint") {
    const hold_s = job.how === "hold" ? rollup_limits.hold_s : rollup_limits.setpoint_active_s;
    holdMeans(readings, hold_s, minutes);
    scaleBy(minutes.values, scale, offset);
    return;
  }
  const value = readings.value.map((item) => item * scale + offset);
  const interval = { interval_s: intervalOf(job), at: job.interval_at };
  if (job.how === "integral") integrate({ ts: readings.ts, value }, minutes);
  else addIntervals({ ts: readings.ts, value }, interval, minutes);
}

/** Fills `minutes` with what the job's counter counted, and gives what happened in them. */
function count(minutes: CounterMinutes, job: Job, counter: CounterReadings): CounterEvent[] {
  const from_us = job.from_quarter * quarter_us;
  const to_us = job.to_quarter * quarter_us;
  const end = counter.syncAfter(to_us);
  const range = {
    from: Math.max(counter.syncBefore(from_us), 0),
    to: end < 0 ? counter.ts.length : end + 1,
  };
  const found = countReadings(counter, range, minutes);
  scaleBy(minutes.values, job.scale, 0);
  return found.filter(({ ts }) => ts >= from_us && ts < to_us)
    .map((event) => ({ sensor_no: job.sensor_no, ...event }));
}

function scaleBy(values: Float64Array, scale: number, offset: number): void {
  if (scale === 1 && offset === 0) return;
  for (let i = 0; i < values.length; i++) values[i] = values[i] * scale + offset;
}

/** Rows of minute values, grown as jobs are computed; minutes without a value are left out. */
class ValueRows {
  readonly #sensor_no: number[] = [];
  readonly #minute: number[] = [];
  readonly #value: number[] = [];
  readonly #span_from: number[] = [];
  readonly #span_to: number[] = [];

  add(sensor_no: number, minutes: MinuteValues | CounterMinutes): void {
    const spans = "span_from" in minutes ? minutes : undefined;
    minutes.values.forEach((value, i) => {
      if (!Number.isFinite(value)) return;
      this.#sensor_no.push(sensor_no);
      this.#minute.push(minutes.from_minute + i);
      this.#value.push(value);
      this.#span_from.push(spans ? spans.span_from[i] : no_span);
      this.#span_to.push(spans ? spans.span_to[i] : no_span);
    });
  }

  rows(): MinuteRows {
    return {
      sensor_no: Int32Array.from(this.#sensor_no),
      minute: Int32Array.from(this.#minute),
      value: Float64Array.from(this.#value),
      span_from: Int32Array.from(this.#span_from),
      span_to: Int32Array.from(this.#span_to),
    };
  }
}

/** How long before and after a minute what contradicts a setpoint in it can be measured. */
const contradiction_us = 60 * rollup_limits.contradiction_minutes * second_us;

/** How far samples are looked for around a job, step by step, in seconds. */
const looks_s = [
  ...[1800, 4 * 3600, 2 * 86_400, 9 * 86_400, 60 * 86_400],
  counter_limits.look_s,
] as const;

/** A job, the window that was loaded around it, and its tag's samples there. */
type Loaded = {
  readonly job: Job;
  readonly window: Window;
  readonly readings: Readings;
  /** The same as those of a counter, where the job has one. */
  readonly counter: CounterReadings | undefined;
};

type Resets = ReadonlyMap<number, readonly Reset[]>;

/** The samples that each job needs around it: looked for wider and wider until they are enough. */
async function* loaded(
  connection: Connection,
  { jobs, over_minute }: Jobs,
): AsyncGenerator<Loaded> {
  const over_us = over_minute * minute_us;
  const has_counters = jobs.some((job) => job.how === "counter");
  const resets: Resets = has_counters ? await readResets(connection) : new Map();
  let open: readonly Loaded[] = [];
  for (const [step, look_s] of looks_s.entries()) {
    const wider = { look_us: look_s * second_us, over_us };
    open = step === 0
      ? await load(connection, {
        wanted: jobs.map((job) => ({ job, window: windowOf(job, wider) })),
        resets,
      })
      : await widen(connection, open, { ...wider, resets });
    for (const item of open) if (isEnough(item, over_us)) yield item;
    open = open.filter((item) => !isEnough(item, over_us));
    if (open.length === 0) return;
  }
  yield* open;
}

type Look = { readonly look_us: number; readonly over_us: number };

/** Loads again what has samples between its window and a wider one. */
async function widen(
  connection: Connection,
  open: readonly Loaded[],
  { resets, ...wider }: Look & { readonly resets: Resets },
): Promise<readonly Loaded[]> {
  const wanted = open.map((item) => ({ ...item, window: windowOf(item.job, wider) }));
  const rings = wanted.flatMap(({ window }, i) => [
    { ...window, to_us: open[i].window.from_us },
    { ...window, from_us: open[i].window.to_us },
  ]);
  const more = await findSampledTags(
    connection,
    joined(rings.filter((it) => it.from_us < it.to_us)),
  );
  const again = await load(connection, {
    wanted: wanted.filter(({ job }) => more.has(job.tag_no)),
    resets,
  });
  return [...again, ...wanted.filter(({ job }) => !more.has(job.tag_no))];
}

async function load(
  connection: Connection,
  { wanted, resets }: {
    readonly wanted: readonly Pick<Loaded, "job" | "window">[];
    readonly resets: Resets;
  },
): Promise<Loaded[]> {
  if (wanted.length === 0) return [];
  const samples = await loadTags(connection, joined(wanted.map(({ window }) => window)));
  return wanted.map(({ job, window }) => {
    const all = cut(samples.get(job.tag_no), window);
    const bad_counts = job.how === "hold" || job.how === "setpoint";
    const readings = bad_counts ? all : usableOf(all);
    const counter = job.how === "counter" ? counterOf(job, readings, resets) : undefined;
    return { job, window, readings, counter };
  });
}

function counterOf(job: Job, readings: Readings, resets: Resets): CounterReadings {
  const { modulus, rated, scale, tag_no } = job;
  const per_us = rated === null
    ? null
    : counter_limits.rated_factor * rated / Math.abs(scale) / hour_us;
  // A unit of the register, or 1 kWh where it counts watt-hours.
  const digit = Math.max(1, counter_limits.coarse_digit / Math.abs(scale));
  const known = { modulus, per_us, digit, resets: resets.get(tag_no) ?? [] };
  return new CounterReadings(readings, known);
}

function windowOf(job: Job, { look_us, over_us }: Look): Window {
  const { before_us, after_us } = reachOf(job);
  // What reaches after a sample is looked for before the job, and the other way round.
  const [before, after] = {
    counter: [look_us, look_us],
    hold: [Math.min(look_us, after_us), 0],
    setpoint: [Math.min(look_us, after_us), contradiction_us],
    interval: [after_us, before_us],
    integral: [after_us, before_us],
  }[job.how];
  return {
    tag_no: job.tag_no,
    from_us: job.from_quarter * quarter_us - before,
    to_us: Math.min(job.to_quarter * quarter_us + after + 1, over_us),
  };
}

function isEnough({ job, window, readings, counter }: Loaded, over_us: number): boolean {
  const from_us = job.from_quarter * quarter_us;
  if (counter) {
    const settled = window.to_us >= over_us || counter.syncAfter(job.to_quarter * quarter_us) >= 0;
    if (!settled) return false;
    const sync = counter.syncBefore(from_us);
    return sync >= 0 && counter.isPaceKnown(sync, window.from_us);
  }
  if (job.how !== "hold" && job.how !== "setpoint") return true;
  const needed_us = from_us - (job.how === "setpoint" ? contradiction_us : 0);
  return readings.ts[0] <= needed_us || window.from_us <= from_us - reachOf(job).after_us;
}

/** Windows of one tag that touch or overlap made one, so that no sample is read twice. */
function joined(windows: readonly Window[]): readonly Window[] {
  const out: Window[] = [];
  const order = (a: Window, b: Window) => a.tag_no - b.tag_no || a.from_us - b.from_us;
  for (const window of windows.toSorted(order)) {
    const last = out.at(-1);
    if (last?.tag_no === window.tag_no && window.from_us <= last.to_us) {
      out[out.length - 1] = { ...last, to_us: Math.max(last.to_us, window.to_us) };
    } else out.push(window);
  }
  return out;
}

async function loadTags(
  connection: Connection,
  windows: readonly Window[],
): Promise<ReadonlyMap<number, Readings>> {
  const chunk = await loadSamples(connection, windows);
  const out = new Map<number, Readings>();
  if (chunk.rows === 0) return out;
  const [tags, times, values] = chunk.vectors.map((vector) =>
    vector.kind !== "text" && vector.values
  );
  const tag_no = tags as Int32Array<ArrayBuffer>;
  const ts = times as Float64Array<ArrayBuffer>;
  const value = values as Float64Array<ArrayBuffer>;
  for (let from = 0, i = 1; i <= chunk.rows; i++) {
    if (i < chunk.rows && tag_no[i] === tag_no[from]) continue;
    out.set(tag_no[from], { ts: ts.subarray(from, i), value: value.subarray(from, i) });
    from = i;
  }
  return out;
}

function cut(readings: Readings | undefined, window: Window): Readings {
  if (!readings) return { ts: new Float64Array(), value: new Float64Array() };
  const from = firstAt(readings.ts, window.from_us);
  const to = firstAt(readings.ts, window.to_us);
  return { ts: readings.ts.subarray(from, to), value: readings.value.subarray(from, to) };
}

/** How far a touched sample's effect reaches before and after it. */
function reachOf(job: Job): { readonly before_us: number; readonly after_us: number } {
  switch (job.how) {
    case "hold":
      return { before_us: 0, after_us: rollup_limits.hold_s * second_us };
    case "setpoint":
      return {
        before_us: 0,
        after_us: rollup_limits.setpoint_active_s * second_us + contradiction_us,
      };
    case "interval": {
      const length = intervalOf(job) * second_us;
      return job.interval_at === "end"
        ? { before_us: length, after_us: 0 }
        : { before_us: 0, after_us: length };
    }
    case "counter":
    case "integral":
      return {
        before_us: rollup_limits.gap_s * second_us,
        after_us: rollup_limits.gap_s * second_us,
      };
  }
}

/** The length of a job's intervals in seconds. */
function intervalOf(job: Job): number {
  return job.interval_s ?? 60;
}
