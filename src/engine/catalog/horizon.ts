// Refuses requests for what is no longer kept.
import { Fault } from "../../base/fault.ts";
import { type Kept, kept_words } from "../../model/retention/keep.ts";
import { type Catalog, day_us } from "./catalog.ts";

/** What is read of tags, at `from_us` and later. */
type Reads = {
  readonly from_us: number;
  readonly reads: readonly { readonly tag_no: number; readonly kept: Kept }[];
};

/**
 * Throws a `Fault` (gone) that tells from when on there is all that is read, where something of it
 * that stood at `from_us` or later is no longer kept.
 */
export function requireKept(
  catalog: Pick<Catalog, "horizon" | "tag">,
  { from_us, reads }: Reads,
): void {
  let [last, end_us] = [reads[0], 0];
  for (const read of reads) {
    const day = catalog.horizon(read.tag_no)?.[read.kept] ?? 0;
    if (day * day_us > end_us) [last, end_us] = [read, day * day_us];
  }
  if (last === undefined || end_us <= from_us) return;
  const { sensor_tag } = catalog.tag(last.tag_no)!;
  const from = new Date(end_us / 1000).toISOString().slice(0, 10);
  throw new Fault(
    "gone",
    `${kept_words[last.kept]} of ${JSON.stringify(sensor_tag)} before ${from} (UTC) are no ` +
      "longer kept: ask from then on",
    { available_from_us: end_us },
  );
}
