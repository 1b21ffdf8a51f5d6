// A robust linear trend: the median of the slopes between all points (Theil and Sen).

/** A value at an instant, in milliseconds since 1970 UTC. */
export type Point = { readonly at_ms: number; readonly value: number };

/** What can be said of a trend. */
export type Verdict = "short" | "none" | "rising" | "falling";

/** A trend; slopes are shares a year of the value with which the line begins. */
export type Trend = {
  readonly per_year: number;
  /** Between these the slope is with 95 % certainty, as Sen (1968) reckons it. */
  readonly least: number;
  readonly most: number;
  /** The line's value at an instant. */
  readonly valueAt: (at_ms: number) => number;
  readonly years: number;
  readonly verdict: Verdict;
  /** Seasons can still be taken for a trend: less than two years. */
  readonly is_provisional: boolean;
};

const year_ms = 365.2425 * 86_400_000;

/** Below a year, seasons are no trend yet; from two years on they are told apart. */
const years = { least: 1, sure: 2 } as const;
const least_points = 10;
const z_95 = 1.959964;

/** The trend of points in the order of time; undefined where there are less than two. */
export function trendOf(points: readonly Point[]): Trend | undefined {
  if (points.length < 2) return undefined;
  const begin_ms = points[0].at_ms;
  const span = (points[points.length - 1].at_ms - begin_ms) / year_ms;
  const slopes = slopesOf(points);
  if (slopes.length === 0) return undefined;
  const slope = medianOf(slopes);
  const start = medianOf(
    Float64Array.from(points, ({ at_ms, value }) => value - slope * (at_ms - begin_ms) / year_ms)
      .toSorted(),
  );
  const [least, most] = certaintyOf(slopes, points.length).map((it) => it / start);
  const is_short = span < years.least || points.length < least_points;
  return {
    per_year: slope / start,
    least,
    most,
    valueAt: (at_ms) => start + slope * (at_ms - begin_ms) / year_ms,
    years: span,
    verdict: is_short ? "short" : most < 0 ? "falling" : least > 0 ? "rising" : "none",
    is_provisional: span < years.sure,
  };
}

/** The slopes a year between all points of different instants, rising. */
function slopesOf(points: readonly Point[]): Float64Array {
  const slopes: number[] = [];
  points.forEach((a, i) => {
    for (const b of points.slice(i + 1)) {
      if (b.at_ms > a.at_ms) slopes.push((b.value - a.value) * year_ms / (b.at_ms - a.at_ms));
    }
  });
  return Float64Array.from(slopes).toSorted();
}

/** The slopes between which the true one is, by the ranks that chance alone would give. */
function certaintyOf(slopes: Float64Array, n: number): readonly [number, number] {
  const spread = z_95 * Math.sqrt(n * (n - 1) * (2 * n + 5) / 18);
  const last = slopes.length - 1;
  const low = Math.max(0, Math.floor((slopes.length - spread) / 2));
  const high = Math.min(last, Math.ceil((slopes.length + spread) / 2));
  return [slopes[low], slopes[high]];
}

function medianOf(rising: Float64Array): number {
  const middle = rising.length >> 1;
  return rising.length % 2 === 1 ? rising[middle] : (rising[middle - 1] + rising[middle]) / 2;
}
