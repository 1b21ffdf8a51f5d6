// Rows of performance as a grid: devices by buckets, cut at the moment that is looked at; in which
// order its rows stand, and which times are written below it.
import type { Rows } from "../frame/api.ts";
import { natural } from "../frame/number.ts";
import type { Device } from "../frame/plant.ts";
import { dateText, offsetText, timeText } from "../frame/zone.ts";

/** In which order rows stand. */
export const sorts = ["name", "shortfall", "block"] as const;
export type Sort = typeof sorts[number];

/** A number for each device and bucket: `values[row * columns + column]`, NaN where unknown. */
export type Grid = {
  readonly rows: number;
  /** When each bucket starts and ends, in milliseconds since 1970 UTC. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** Buckets from this one on are not over at the moment: nothing of them is known. */
  readonly known: number;
  readonly columns: Readonly<Record<string, Float64Array>>;
};

/** What is shown of time: until when, and whether a bucket must be over to be shown. */
export type Until = { readonly until_ms: number; readonly is_replay: boolean };

type Making = Until & {
  readonly devices: readonly Device[];
  /** When a bucket that starts at an instant ends. */
  readonly endOf: (start_ms: number) => number;
  /** Columns of the rows to take. */
  readonly names: readonly string[];
  /** Only buckets that start in this span. */
  readonly from_ms?: number;
  readonly to_ms?: number;
  /** Sensors of one device are added up; else the greatest counts. */
  readonly is_sum: boolean;
};

/** The grid of rows that have `ts_utc` and `hierarchy_id`. */
export function gridOf(rows: Rows, making: Making): Grid {
  const { devices, endOf, names, until_ms, is_replay, from_ms = -Infinity } = making;
  const { to_ms = Infinity } = making;
  const instants = rows.numbers("ts_utc");
  const starts = Float64Array.from(
    new Set(instants.filter((at) => at >= from_ms && at < to_ms)),
  ).sort();
  const ends = starts.map(endOf);
  const known = countBefore(starts, (_, i) => is_replay ? ends[i] <= until_ms : _ < until_ms);
  const column_of = new Map(Array.from(starts, (at, i) => [at, i]));
  const row_of = new Map(
    devices.flatMap(({ sensors }, row) =>
      sensors.map(({ hierarchy_id }) => [hierarchy_id, row] as const)
    ),
  );
  const ids = rows.texts("hierarchy_id");
  const columns = Object.fromEntries(names.map((name) => {
    const given = rows.numbers(name);
    const cells = new Float64Array(devices.length * starts.length).fill(NaN);
    for (let i = 0; i < rows.length; i++) {
      const [row, column] = [row_of.get(ids[i]!), column_of.get(instants[i])];
      if (row === undefined || column === undefined || column >= known) continue;
      const at = row * starts.length + column;
      const [one, other] = [cells[at], given[i]];
      if (Number.isNaN(one)) cells[at] = other;
      else if (!Number.isNaN(other)) cells[at] = making.is_sum ? one + other : Math.max(one, other);
    }
    return [name, cells];
  }));
  return { rows: devices.length, starts, ends, known, columns };
}

/** The median of the others of a row, for each cell; groups are rows that compare. */
export function medianOfOthers(
  { values, columns, skip }: {
    readonly values: Float64Array;
    readonly columns: number;
    /** Cells that are not to be compared with. */
    readonly skip?: Uint8Array;
  },
  groups: readonly (readonly number[])[],
): Float64Array {
  const medians = new Float64Array(values.length).fill(NaN);
  for (const group of groups) {
    const sorted = new Float64Array(group.length);
    for (let column = 0; column < columns; column++) {
      let count = 0;
      for (const row of group) {
        const at = row * columns + column;
        if (!Number.isNaN(values[at]) && !skip?.[at]) sorted[count++] = values[at];
      }
      const others = sorted.subarray(0, count).sort();
      for (const row of group) {
        const at = row * columns + column;
        const is_in = !Number.isNaN(values[at]) && !skip?.[at];
        medians[at] = medianWithout(others, is_in ? values[at] : NaN);
      }
    }
  }
  return medians;
}

/** How many others make a median that one inverter among them can't spoil. */
const fewest_others = 3;

/** Which rows compare: those of a block where it has enough of them, else all of a site. */
export function peerGroups(devices: readonly Device[]): readonly (readonly number[])[] {
  const all = devices.map((_, row) => row);
  const blocks = Map.groupBy(all, (row) => devices[row].block_id ?? devices[row].site_id);
  const large = [...blocks.values()].filter((rows) => rows.length > fewest_others);
  const rest = all.filter((row) => !large.some((rows) => rows.includes(row)));
  return rest.length > 0 ? [...large, rest.length > fewest_others ? rest : all] : large;
}

/** The median of sorted numbers, one of which is left out. */
function medianWithout(sorted: Float64Array, left_out: number): number {
  const k = Number.isNaN(left_out) ? sorted.length : sorted.indexOf(left_out);
  const count = sorted.length - (k < sorted.length ? 1 : 0);
  if (count === 0) return NaN;
  const at = (i: number) => sorted[i < k ? i : i + 1];
  return count % 2 === 1 ? at(count >> 1) : (at(count / 2 - 1) + at(count / 2)) / 2;
}

function countBefore(
  values: Float64Array,
  isBefore: (value: number, i: number) => boolean,
): number {
  const i = values.findIndex((value, i) => !isBefore(value, i));
  return i < 0 ? values.length : i;
}

/** What the reader asks for. */
type Asked = {
  readonly sort: Sort;
  /** The id of a block. */
  readonly block_id: string | undefined;
  /** The names of blocks, by id. */
  readonly names: ReadonlyMap<string, { readonly name: string }>;
  readonly find: string;
};

/** The rows to show: the places of devices in their list, each with how bad it is or NaN. */
export function shownRows(
  devices: readonly Device[],
  badness: readonly number[],
  { sort, block_id, names, find }: Asked,
): readonly number[] {
  const words = find.toLowerCase().split(/\s+/).filter((it) => it !== "");
  const found = devices.map((_, row) => row).filter((row) => {
    const text = `${devices[row].name} ${devices[row].key}`.toLowerCase();
    return (block_id === undefined || devices[row].block_id === block_id) &&
      words.every((word) => text.includes(word));
  });
  const byName = (a: number, b: number) => natural.compare(devices[a].name, devices[b].name);
  const blockOf = (row: number) => names.get(devices[row].block_id ?? "")?.name ?? "";
  const byBlock = (a: number, b: number) => natural.compare(blockOf(a), blockOf(b)) || byName(a, b);
  const worst = (row: number) => Number.isNaN(badness[row]) ? -Infinity : badness[row];
  const byBadness = (a: number, b: number) =>
    worst(a) === worst(b) ? byName(a, b) : worst(b) - worst(a);
  return found.toSorted({ name: byName, block: byBlock, shortfall: byBadness }[sort]);
}

const minute = 60_000;
const steps = [5, 10, 15, 30, 60, 120, 180, 240, 360].map((it) => it * minute);

/** At most `most` ticks at round times; the first, and each after a change, with its offset. */
export function ticksOf(
  starts: Float64Array,
  { zone, most }: { readonly zone: string; readonly most: number },
): readonly { readonly column: number; readonly label: string }[] {
  const count = starts.length;
  if (count === 0) return [];
  const bucket_ms = count > 1 ? starts[1] - starts[0] : 15 * minute;
  if (bucket_ms > 20 * 60 * minute) {
    const every = Math.ceil(count / most);
    return [...starts.keys()].filter((column) => column % every === 0 && column <= count * 0.95)
      .map((column) => ({ column, label: dateText(starts[column] + 43_200_000, zone) }));
  }
  const span = starts[count - 1] - starts[0];
  const step = steps.find((it) => span / it <= most) ?? steps[steps.length - 1];
  let last = "";
  return [...starts.keys()].filter((column) => {
    const [hours, minutes] = timeText(starts[column], zone).split(":").map(Number);
    return (hours * 60 + minutes) * minute % step === 0 && column <= count * 0.95;
  }).map((column) => {
    const offset = offsetText(starts[column], zone);
    const label = timeText(starts[column], zone);
    const is_new = offset !== last;
    last = offset;
    return { column, label: is_new ? `${label}\n${offset}` : label };
  });
}
