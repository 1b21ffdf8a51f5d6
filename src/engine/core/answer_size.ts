// How large an answer of buckets and groups may be.
import { countText } from "../../base/count.ts";
import { Fault } from "../../base/fault.ts";
import { answer_limits } from "../../model/data/limits.ts";
import { countBuckets, type DayRange, type Interval } from "../../model/time/bucket.ts";

/** Throws a `Fault` (invalid) when the buckets of a range are too many, or too many by groups. */
export function checkSize(
  { interval, range }: { readonly interval: Interval; readonly range: DayRange },
  groups: number,
): void {
  const buckets = countBuckets(interval, range);
  const cells = buckets * groups;
  if (buckets <= answer_limits.buckets_per_answer && cells <= answer_limits.cells_per_answer) {
    return;
  }
  throw new Fault(
    "invalid",
    `The answer would have ${countText(buckets)} buckets of ${
      countText(groups)
    } groups; the most are ` +
      `${countText(answer_limits.buckets_per_answer)} buckets and ${
        countText(answer_limits.cells_per_answer)
      } rows. ` +
      "Ask for a longer interval, fewer days or fewer groups.",
  );
}
