// Answers from inverters' days: availability and losses over time.
import { answer_limits } from "../../model/data/limits.ts";
import {
  type Answer,
  type Chunk,
  noneValid,
  setValid,
  type Vector,
  wordsOf,
} from "../../model/data/chunk.ts";
import type { Column } from "../../model/data/column.ts";
import {
  axisOf,
  type DayPositions,
  dayPositions,
  type Positions,
} from "../../model/time/bucket.ts";
import { dayText } from "../../model/time/calendar.ts";
import {
  type GroupedInverters,
  type InverterSums,
  sumBasis,
  sumLosses,
} from "../../store/availability/inverter_sum.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type Inverter, invertersOf } from "../catalog/inverter.ts";
import { checkSize } from "../core/answer_size.ts";
import { Combined } from "../performance/combined.ts";
import { type Group, groupSensors, type PerformanceRequest } from "../performance/group.ts";
import {
  codesAt,
  constantColumn,
  groupColumns,
  instantColumn,
} from "../performance/group_words.ts";

/** A checked request; empty filters mean all, and each interval is a whole day or longer. */
export type InverterRequest = Pick<
  PerformanceRequest,
  "projects" | "range" | "interval" | "sentinel_tag" | "hierarchy_ids" | "block_ids" | "group_by"
>;

/** A request, and whether its rows have what it includes. */
export type InclusiveRequest = InverterRequest & { readonly columns: readonly Column[] };

/** The inverters of a request, one of a data stream, with the number of each one's group. */
export type InverterSelection = GroupedInverters & {
  readonly inverters: readonly Inverter[];
  readonly groups: readonly Group[];
};

/** Some rows: the group and the bucket of each, and its sums, NaN where a bucket has no day. */
type SumRows = {
  readonly rows: number;
  readonly groups: Int32Array;
  readonly positions: Int32Array;
  readonly sums: readonly Float64Array[];
};

/** Of each group: how many inverters it has, and of how many the capacity is known. */
export type InverterCounts = { readonly total: Int32Array; readonly known: Int32Array };

/** What an answer adds up, and how the sums become its columns. */
export type Account = {
  /** How many sums `read` gives. */
  readonly sums: number;
  readonly read: (
    connection: Connection,
    selection: InverterSelection,
    days: DayPositions,
  ) => AsyncIterable<InverterSums>;
  /** What makes the vectors, by name, of the columns that are not words of bucket or group. */
  readonly numbersOf: (
    counts: InverterCounts,
    request: InverterRequest,
  ) => (rows: SumRows) => Readonly<Record<string, Vector>>;
};

/** The availability of a request's inverters: every bucket of every group. */
export const availability_account: Account = {
  sums: 3,
  read: (connection, { inverters, sensors, group_nos }, days) => {
    const capacities_kw = inverters.map(({ capacity_w }) => (capacity_w ?? 0) / 1000);
    return sumBasis(connection, { sensors, group_nos, capacities_kw }, days);
  },
  numbersOf: ({ total, known }) => (rows) => ({
    ...figures(rows),
    inverter_count: counts(rows, total),
    capacity_known_inverter_count: counts(rows, known),
    is_partial: {
      kind: "bool",
      values: new Uint8Array(rows.groups.map((at) => known[at] < total[at] ? 1 : 0)),
    },
  }),
};

function figures({ rows, sums: [basis, unavailable, daylight] }: SumRows) {
  const [capacity, lost, share] = [0, 0, 0].map(() => new Float64Array(rows));
  const valid = noneValid(rows);
  for (let i = 0; i < rows; i++) {
    if (!(basis[i] > 0)) continue; // no day, or none with a basis
    capacity[i] = basis[i];
    lost[i] = unavailable[i];
    share[i] = Math.min(1, Math.max(0, 1 - lost[i] / capacity[i]));
    setValid(valid, i);
  }
  return {
    capacity_hours: { kind: "float64", values: capacity },
    unavailable_capacity_hours: { kind: "float64", values: lost },
    availability: { kind: "float64", values: share, valid },
    known_capacity_hours: { kind: "float64", values: capacity },
    daylight_capacity_hours: { kind: "float64", values: daylight.map((value) => value || 0) },
  } as const;
}

/** The count of each row's group. */
function counts({ groups }: SumRows, of_group: Int32Array): Vector {
  return { kind: "int32", values: codesAt(of_group, groups) };
}

/** How many days of the range each bucket has. */
function daysOf(request: InverterRequest): readonly number[] {
  const { from_day, to_day } = request.range;
  const starts = bucketStarts(request);
  return starts.map((start, i) => (starts[i + 1] ?? to_day) - Math.max(start, from_day));
}

/** The sums of an account, in the order in which they are read. */
const sum_names = [
  "expected_energy",
  "produced_energy",
  "unavailability_loss",
  "curtailment_loss",
  "clipping_loss",
  "grid_loss",
  "dc_loss",
  "derate_loss",
  "snow_loss",
  "soiling_loss",
  "unmeasured_energy",
  "settled_days",
] as const;
const settled_at = sum_names.indexOf("settled_days");

/** The loss account of a request's inverters: every bucket of every group. */
export const loss_account: Account = {
  sums: sum_names.length,
  read: (connection, selection, days) => sumLosses(connection, selection, days),
  numbersOf: ({ total }, request) => {
    const day_counts = daysOf(request);
    return (rows) => ({
      ...energies(rows),
      inverter_count: counts(rows, total),
      is_partial: {
        kind: "bool",
        values: new Uint8Array(rows.groups.map((group, i) => {
          const wanted_days = total[group] * day_counts[rows.positions[i]];
          return rows.sums[settled_at][i] === wanted_days ? 0 : 1;
        })),
      },
    });
  },
};

/** The account of each row; all of it is null where no day has one. */
function energies({ rows, sums }: SumRows): Readonly<Record<string, Vector>> {
  const [expected, produced, unavailable, curtailed, clipped, ...causes] = sums;
  const [other, unknown] = [new Float64Array(rows), new Float64Array(rows)];
  const valid = noneValid(rows);
  for (let i = 0; i < rows; i++) {
    if (Number.isNaN(expected[i])) continue;
    other[i] = expected[i] - produced[i] - unavailable[i] - curtailed[i] - clipped[i];
    unknown[i] = causes.slice(0, split_causes).reduce((left, lost) => left - lost[i], other[i]);
    setValid(valid, i);
  }
  const vector = (from: Float64Array): Vector => (
    { kind: "float64", values: from.map((value) => value || 0), valid }
  );
  const read = sum_names.map((name, i) => [name, vector(sums[i])]);
  const unmeasured = sums[sum_names.indexOf("unmeasured_energy")];
  const measurable = noneValid(rows);
  unmeasured.forEach((value, i) => Number.isNaN(value) || setValid(measurable, i));
  return {
    ...Object.fromEntries(read),
    other_loss: vector(other),
    unknown_loss: vector(unknown),
    unmeasured_energy: { ...vector(unmeasured), valid: measurable },
  };
}

/** How many of the causes are split off from the other losses. */
const split_causes = 5;

/** The inverters of a request and their groups. */
export function selectInverters(catalog: Catalog, request: InverterRequest): InverterSelection {
  const inverters = invertersOf(catalog).filter(matcherOf(request));
  const sensors = inverters.map(({ sensor }) => sensor);
  const { groups, group_of } = groupSensors(catalog, sensors, request);
  return {
    inverters,
    groups,
    sensors: Int32Array.from(sensors, ({ sensor_no }) => sensor_no),
    group_nos: Int32Array.from(sensors, ({ sensor_no }) => group_of[sensor_no]),
  };
}

/** Of each group of a selection. */
export function countInverters({ inverters, groups, group_nos }: InverterSelection) {
  const total = new Int32Array(groups.length);
  const known = new Int32Array(groups.length);
  inverters.forEach(({ capacity_w }, i) => {
    total[group_nos[i]]++;
    if (capacity_w !== null) known[group_nos[i]]++;
  });
  return { total, known };
}

/** Where the inverters of an answer and their sums are. */
export type InverterSource = {
  readonly groups: readonly Group[];
  readonly counts: InverterCounts;
  /** The sums of some positions' cells, bucket by bucket and group by group within. */
  readonly readSums: (positions: Positions) => Promise<readonly Combined[]>;
};

/**
 * The answer to a request by an account. Throws a `Fault` (invalid) when it would be too large,
 * before anything is read. Reading stops, and throws, when `signal` aborts.
 */
export function inverterAnswer(
  { database, catalog }: { readonly database: Database; readonly catalog: Catalog },
  account: Account,
  { request, signal }: { readonly request: InclusiveRequest; readonly signal?: AbortSignal },
): Answer {
  const selection = selectInverters(catalog, request);
  const counts = countInverters(selection);
  const is_plain = isPlain(request, counts);
  return invertersFrom(account, request, {
    ...{ groups: selection.groups, counts },
    readSums: (positions) =>
      database.read(
        (connection) => readSums(connection, account, { request, selection, positions, is_plain }),
        signal,
      ),
  });
}

/** The same from any source. */
export function invertersFrom(
  account: Account,
  request: InclusiveRequest,
  source: InverterSource,
): Answer {
  checkSize(request, source.groups.length);
  const zones = [...new Set(request.projects.map((project) => project.timezone))];
  return {
    columns: request.columns,
    metadata: { site_timezone: zones.join(",") },
    chunks: chunksOf(account, request, source),
  };
}

/** The first day of each bucket of a request. */
export function bucketStarts({ interval, range }: InverterRequest): readonly number[] {
  return axisOf(interval, { range, timezones: [] }).day_starts!;
}

function matcherOf(request: InverterRequest): (inverter: Inverter) => boolean {
  const project_nos = new Set(request.projects.map((project) => project.project_no));
  const hierarchy_ids = new Set(request.hierarchy_ids);
  const block_ids = new Set<string | null>(request.block_ids);
  return ({ sensor, power, energy, status }) =>
    sensor.sentinel_tag === request.sentinel_tag &&
    project_nos.has(sensor.project_no) &&
    (block_ids.size === 0 || block_ids.has(sensor.block_id)) &&
    (hierarchy_ids.size === 0 ||
      [power, energy, status].some((it) => it && hierarchy_ids.has(it.hierarchy_id)));
}

async function* chunksOf(
  account: Account,
  request: InclusiveRequest,
  { groups, counts, readSums }: InverterSource,
): AsyncGenerator<Chunk, void> {
  const starts = bucketStarts(request);
  const words = wordColumns(request, starts, groups);
  const numbersOf = account.numbersOf(counts, request);
  const width = groups.length;
  // What is added up keeps a rest beside each sum.
  const { cells_per_slab, cells_of_first_slab } = answer_limits;
  const most = isPlain(request, counts) ? cells_per_slab : cells_of_first_slab;
  const step = Math.max(1, Math.floor(most / Math.max(1, width)));
  for (let from = 0; from < starts.length; from += step) {
    const positions = { from, to: Math.min(starts.length, from + step) };
    const sums = (await readSums(positions)).map((it) => it.finish());
    for (const rows of cutRows(sums, positions, width)) {
      const numbers = numbersOf(rows);
      const vectors = request.columns.map(({ name }) => words[name]?.(rows) ?? numbers[name]);
      yield { rows: rows.rows, vectors };
    }
  }
}

/** Which cells' sums, of whose inverters. */
type Cells = {
  readonly request: InverterRequest;
  readonly selection: InverterSelection;
  readonly positions: Positions;
  /** Whether each cell of the whole answer is one day of one inverter. */
  readonly is_plain: boolean;
};

/** Whether each cell of an answer is one day of one inverter: then nothing is added up. */
export function isPlain({ interval }: InverterRequest, { total }: InverterCounts): boolean {
  return interval === "OneDay" && total.every((count) => count === 1);
}

/** The sums of so many cells, to which nothing is added yet. */
export function emptySums(
  { sums }: Account,
  { size, is_plain }: { readonly size: number; readonly is_plain: boolean },
): readonly Combined[] {
  return Array.from({ length: sums }, () => {
    const cells = Combined.of(size, is_plain ? undefined : "sum");
    cells.clear(size);
    return cells;
  });
}

/** The sums of some positions' cells, bucket by bucket and group by group within. */
export async function readSums(
  connection: Connection,
  account: Account,
  { request, selection, positions, is_plain }: Cells,
): Promise<readonly Combined[]> {
  const days = dayPositions(bucketStarts(request), request.range, positions);
  const width = selection.groups.length;
  const size = (positions.to - positions.from) * width;
  const all = emptySums(account, { size, is_plain });
  for await (const { bucket, group, sums, rests } of account.read(connection, selection, days)) {
    const cells = bucket.map((at, i) => (at - positions.from) * width + group[i]);
    all.forEach((it, s) =>
      rests.length === 0
        ? it.add(sums[s], { cells })
        : it.take({ total: sums[s], total_rest: rests[s] }, cells)
    );
  }
  return all;
}

function* cutRows(
  sums: readonly Float64Array[],
  positions: Positions,
  width: number,
): Generator<SumRows, void> {
  const size = (positions.to - positions.from) * width;
  for (let at = 0; at < size; at += answer_limits.batch_rows) {
    const rows = Math.min(answer_limits.batch_rows, size - at);
    const cells = new Int32Array(rows).map((_, i) => at + i);
    yield {
      rows,
      groups: cells.map((cell) => cell % width),
      positions: cells.map((cell) => positions.from + Math.floor(cell / width)),
      sums: sums.map((all) => all.subarray(at, at + rows)),
    };
  }
}

type MakeWords = (rows: SumRows) => Vector;

function wordColumns(
  { sentinel_tag, interval, range, projects }: InverterRequest,
  starts: readonly number[],
  groups: readonly Group[],
): Readonly<Record<string, MakeWords>> {
  const words = wordsOf(starts.map(dayText));
  const codes = Int32Array.from(starts, (_, position) => position);
  return {
    ...groupColumns(groups),
    ts_utc: instantColumn(axisOf(interval, { range, timezones: [] }), { groups, projects }),
    bucket_start: ({ positions }) => ({ kind: "text", words, codes: codesAt(codes, positions) }),
    sentinel_tag: constantColumn(sentinel_tag),
  };
}
