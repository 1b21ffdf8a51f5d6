// Until when the days of a site's inverters are closed: what they hang on is no longer kept.
import { availability_limits } from "../../model/availability/limits.ts";
import { retention_limits } from "../../model/retention/limits.ts";
import type { Catalog } from "../catalog/catalog.ts";

/**
 * The first local day (since 1970) of a site that is still worked out: states stand on minutes and
 * quarter-hours, and a silence is judged with the days around it.
 */
export function firstOpenDay(
  catalog: Catalog,
  site_no: number,
): number {
  if (catalog.horizons.length === 0) return 0;
  const { sensors, devices } = catalog;
  const project_no = catalog.site(site_no)?.project_no ?? 0;
  const own = sensors.filter((it) => it.site_no === site_no).map(({ tag_no }) => tag_no);
  const words = devices.filter((it) => it.site_no === site_no && it.event_tag !== null)
    .map(({ event_tag }) => catalog.findTag(project_no, "signal", event_tag!)?.tag_no ?? 0);
  const gone = [...own, ...words].reduce((last, tag_no) => {
    const { minutes = 0, quarters = 0 } = catalog.horizon(tag_no) ?? {};
    return Math.max(last, minutes, quarters);
  }, 0);
  return gone === 0 ? 0 : gone + retention_limits.seal_days + availability_limits.gap_days;
}
