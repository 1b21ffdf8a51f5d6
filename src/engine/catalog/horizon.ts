// Refuses requests for what is no longer kept.
import { Fault } from "../../base/fault.ts";
import { type Horizon, type Kept, kept_words } from "../../model/retention/keep.ts";
import { type Catalog, day_us } from "./catalog.ts";

/**
 * Throws a `Fault` (gone) that tells from when on all `tag_nos` have data, where something of them
 * that stood at `from_us` or later is no longer kept.
 */
export function requireKept(
  catalog: Pick<Catalog, "horizon" | "tag">,
  { tag_nos, kept, from_us }: {
    readonly tag_nos: readonly number[];
    readonly kept: Kept;
    readonly from_us: number;
  },
): void {
  let last: Horizon | undefined;
  for (const tag_no of tag_nos) {
    const horizon = catalog.horizon(tag_no);
    if (horizon && horizon[kept] > (last?.[kept] ?? 0)) last = horizon;
  }
  if (last === undefined || last[kept] * day_us <= from_us) return;
  const { sensor_tag } = catalog.tag(last.tag_no)!;
  const available_from_us = last[kept] * day_us;
  const from = new Date(available_from_us / 1000).toISOString().slice(0, 10);
  throw new Fault(
    "gone",
    `${kept_words[kept]} of ${JSON.stringify(sensor_tag)} before ${from} (UTC) are no longer ` +
      "kept: ask from then on",
    { available_from_us },
  );
}
