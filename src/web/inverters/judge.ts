// What is abnormal in a grid: which cells are coloured, and how strongly.
import { sumOf } from "../frame/performance.ts";
import { type Grid, medianOfOthers } from "./cells.ts";
import { heat_codes, heatCode } from "../parts/heat_paint.ts";

/** What the columns of a power grid are called in answers. */
export const power_columns = [
  "sensor_value",
  "sensor_value_matched",
  "model_value_matched",
  "performance_index_setpoint_matched",
  "coverage",
] as const;

/** What is known of each cell of power; everything by `row * columns + column`. */
export type PowerCells = {
  readonly measured: Float64Array;
  /** What could have been made within the setpoint, in the minutes that were measured. */
  readonly expected: Float64Array;
  /** Which part of what is expected is missing, 0 to 1. */
  readonly shortfall: Float64Array;
  /** The same against what the median of the others makes of what is expected of them. */
  readonly against_peers: Float64Array;
  /** The energy that is missing, in Wh. */
  readonly lost_wh: Float64Array;
  /** The energy that was expected in what was measured, in Wh. */
  readonly expected_wh: Float64Array;
  /** Cells of an outage. */
  readonly is_out: Uint8Array;
  /** Cells of which an outage took any part. */
  readonly has_outage: Uint8Array;
  /** Cells with too little light to tell anything. */
  readonly is_dark: Uint8Array;
  /** Whether there is a model of the power at all. */
  readonly has_model: boolean;
};

type Facts = {
  /** Rated power by row, or null. */
  readonly rated: readonly (number | null)[];
  readonly groups: readonly (readonly number[])[];
  readonly is_out: Uint8Array;
  readonly has_outage: Uint8Array;
  /** Hours of daylight of each bucket. */
  readonly hours: Float64Array;
};

/** Below this part of the rated power nothing can be told. */
const dark_share = 0.03;

/** What is known of power, from its grid. */
export function powerCells(grid: Grid, facts: Facts): PowerCells {
  const { rated, groups, is_out, has_outage, hours } = facts;
  const count = grid.starts.length;
  const index = grid.columns.performance_index_setpoint_matched;
  const has_model = index.some((it) => !Number.isNaN(it));
  const measured = grid.columns.sensor_value;
  const made = grid.columns.sensor_value_matched;
  const model = grid.columns.model_value_matched;
  const expected = made.map((it, i) => index[i] > 0 ? it / index[i] : model[i]);
  const yields = has_model ? index : measured.map((it, i) => {
    const rated_w = rated[Math.floor(i / count)] ?? NaN;
    return it / rated_w;
  });
  const is_dark = Uint8Array.from(has_model ? expected : measured, (it, i) => {
    const rated_w = rated[Math.floor(i / count)] ?? 0;
    return Number(it < rated_w * dark_share);
  });
  const peers = medianOfOthers({ values: yields, columns: count, skip: has_outage }, groups);
  const covered_hours = measured.map((_, i) => hours[i % count] * (grid.columns.coverage[i] || 0));
  return {
    measured,
    expected,
    shortfall: index.map((it) => 1 - it),
    against_peers: yields.map((it, i) => peers[i] > 0 ? 1 - it / peers[i] : NaN),
    lost_wh: expected.map((it, i) => (it - made[i]) * covered_hours[i]),
    expected_wh: expected.map((it, i) => it * covered_hours[i]),
    is_out,
    has_outage,
    is_dark,
    has_model,
  };
}

/** Less than this is how inverters, modules and models differ every day. */
export const normal_share = 0.04;

/** At this part missing a cell has the scale's last colour. */
export const full_share = 0.8;

/** A cell is like its peers where they miss at least this part of what it misses. */
const shared_share = 0.5;

/** The codes of a grid of power, by what is missing of what is expected or of what peers make. */
export function shortfallCodes(
  { starts, known }: Grid,
  cells: PowerCells,
  by: "shortfall" | "peers",
): Uint8Array {
  const { shortfall, against_peers, measured, is_out, has_outage, is_dark } = cells;
  const missing = by === "peers" || !cells.has_model ? against_peers : shortfall;
  return codesOf({ count: starts.length, known, is_out }, measured, (i) => {
    if (is_dark[i] || Number.isNaN(missing[i])) return heat_codes.quiet;
    if (missing[i] < normal_share) return heat_codes.fine;
    const part = Math.pow(missing[i] / full_share, 0.7);
    const is_shared = !has_outage[i] && against_peers[i] < missing[i] * (1 - shared_share);
    return heatCode(is_shared ? "shared" : "own", part);
  });
}

/** How far a value may be from its peers': in its unit, or as a part of theirs. */
type Tolerance = { readonly least: number; readonly full: number; readonly is_share: boolean };

/** The tolerance of a unit; a temperature is abnormal only where it is higher. */
export function toleranceOf(unit: string): Tolerance {
  if (unit === "degC") return { least: 3, full: 20, is_share: false };
  return { least: 0.05, full: 0.6, is_share: true };
}

/** The codes of any measure: how far each value is from the median of its peers. */
export function measureCodes(
  { starts, known }: Grid,
  { values, peers, is_out, unit }: {
    readonly values: Float64Array;
    readonly peers: Float64Array;
    readonly is_out: Uint8Array;
    readonly unit: string;
  },
): Uint8Array {
  const { least, full, is_share } = toleranceOf(unit);
  return codesOf({ count: starts.length, known, is_out }, values, (i) => {
    if (Number.isNaN(peers[i])) return heat_codes.quiet;
    const apart = values[i] - peers[i];
    if (unit === "code") return apart === 0 ? heat_codes.fine : heatCode("own", 0.5);
    const size = unit === "degC" ? apart : Math.abs(apart);
    const off = is_share ? size / (Math.abs(peers[i]) || 1) : size;
    return off < least ? heat_codes.fine : heatCode("own", off / full);
  });
}

function codesOf(
  { count, known, is_out }: {
    readonly count: number;
    readonly known: number;
    readonly is_out: Uint8Array;
  },
  values: Float64Array,
  codeOf: (i: number) => number,
): Uint8Array {
  return Uint8Array.from(values, (value, i) => {
    if (i % count >= known) return heat_codes.blank;
    if (is_out[i]) return heat_codes.outage;
    return Number.isNaN(value) ? heat_codes.missing : codeOf(i);
  });
}

/** What a row makes of a grid: its sums over the cells that can be judged. */
export type RowSum = {
  readonly lost_wh: number;
  readonly expected_wh: number;
  /** Part missing of what is expected, over all cells. */
  readonly shortfall: number;
  readonly against_peers: number;
  readonly out_cells: number;
};

/** The sums of some cells of a row: from `first` to before `end`. */
export function sumCells(
  cells: PowerCells,
  { row, count, first, end }: {
    readonly row: number;
    readonly count: number;
    readonly first: number;
    readonly end: number;
  },
): RowSum {
  const [from, to] = [row * count + first, row * count + end];
  let [expected, missing, peers, weight, out_cells] = [0, 0, 0, 0, 0];
  for (let i = from; i < to; i++) {
    out_cells += cells.is_out[i];
    if (cells.is_dark[i]) continue;
    const by = cells.has_model ? cells.expected[i] : cells.measured[i];
    if (!Number.isNaN(cells.shortfall[i])) {
      expected += cells.expected[i];
      missing += cells.expected[i] * cells.shortfall[i];
    }
    if (Number.isNaN(cells.against_peers[i]) || Number.isNaN(by)) continue;
    weight += by;
    peers += by * cells.against_peers[i];
  }
  const part = (sum: number, whole: number) => whole > 0 ? sum / whole : NaN;
  return {
    lost_wh: sumOf(cells.lost_wh.subarray(from, to)),
    expected_wh: sumOf(cells.expected_wh.subarray(from, to)),
    shortfall: part(missing, expected),
    against_peers: part(peers, weight),
    out_cells,
  };
}

/** Which cells lie in spans of outages: for any of their time, and for at least half of it. */
export function outageCells(
  { rows, starts, ends, known }: Grid,
  spans: readonly { readonly row: number; readonly from_ms: number; readonly to_ms: number }[],
): Pick<PowerCells, "is_out" | "has_outage"> {
  const out_ms = new Float64Array(rows * starts.length);
  for (const { row, from_ms, to_ms } of spans) {
    for (let column = 0; column < known; column++) {
      const shared = Math.min(to_ms, ends[column]) - Math.max(from_ms, starts[column]);
      if (shared > 0) out_ms[row * starts.length + column] += shared;
    }
  }
  const is_out = Uint8Array.from(out_ms, (it, i) => {
    const column = i % starts.length;
    return Number(it >= (ends[column] - starts[column]) / 2);
  });
  return { is_out, has_outage: Uint8Array.from(out_ms, (it) => Number(it > 0)) };
}
