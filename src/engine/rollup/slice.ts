// Cuts what is due into slices of time that are worked out and stored one after the other.
import { limits } from "../../base/limits.ts";
import type { DueQuarter, Slice } from "../../store/rollup/due.ts";

/** How much one slice may hold at most, where it is longer than a quarter-hour. */
export type SliceBounds = { readonly units: number };

/**
 * Slices of `due`, which is in order of time: none holds more than `units`, but for a single
 * quarter-hour that does. The widest gaps are not inside a slice, for what is stored in the range
 * of a slice is read whole.
 */
export function slicesOf(due: readonly DueQuarter[], { units }: SliceBounds): Slice[] {
  const slices: Slice[] = [];
  const gaps = widestGaps(due);
  let from = 0;
  let held = 0;
  for (let i = 1; i <= due.length; i++) {
    held += due[i - 1].units;
    if (i < due.length && held + due[i].units <= units && !gaps.has(i)) continue;
    slices.push({ from: due[from].quarter, to: due[i - 1].quarter + 1 });
    from = i;
    held = 0;
  }
  return slices;
}

/** The places in `due` before which the widest gaps lie. */
function widestGaps(due: readonly DueQuarter[]): ReadonlySet<number> {
  const gapAt = (i: number) => due[i].quarter - due[i - 1].quarter;
  const places = Array.from({ length: Math.max(due.length - 1, 0) }, (_, i) => i + 1)
    .filter((i) => gapAt(i) >= limits.roll_gap_quarters)
    .sort((a, b) => gapAt(b) - gapAt(a));
  return new Set(places.slice(0, limits.roll_gaps));
}
