// Marks the days that something new is known of, where inverters have states already.
import type { TimeSpan } from "../../model/time/daylight.ts";
import { devicesBelow } from "../../model/plant/device_tree.ts";
import { minute_us } from "../../model/time/series.ts";
import { dayAt } from "../../model/time/zone.ts";
import { knownDays, markInverterRange } from "../../store/availability/availability.ts";
import type { Write } from "../../store/database.ts";
import { plantTree } from "../alarms/reach.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { invertersOf } from "../catalog/inverter.ts";

/** What something new is known of at a site. */
export type SiteSpans = {
  readonly site_no: number;
  readonly spans: readonly TimeSpan[];
  readonly now_us: number;
};

/** Whether a device is an inverter, or some hang on it. */
export function carriesInverter(catalog: Catalog, device_id: string): boolean {
  const devices = [device_id, ...devicesBelow(plantTree(catalog), device_id)];
  return devices.some((id) => catalog.device(id)?.type === "inverter");
}

/**
 * Marks the days of a site that some spans touch and on which its inverters have states; gives
 * whether there are any. Others are worked out when their samples come.
 */
export async function markSpans(
  write: Write,
  catalog: Catalog,
  { site_no, spans, now_us }: SiteSpans,
): Promise<boolean> {
  const days = await knownDays(write.connection, {
    ...daysOf(catalog, { site_no, spans, now_us }),
    sensors: sensorsOf(catalog, site_no),
  });
  if (days.length === 0) return false;
  await markInverterRange(write, { site_no, from_day: days[0], to_day: days.at(-1)! });
  return true;
}

/** The local days that some spans touch, as far as they have begun. */
function daysOf(catalog: Catalog, { site_no, spans, now_us }: SiteSpans) {
  const { timezone } = catalog.placeOf(site_no);
  const dayOf = (us: number) => dayAt(timezone, Math.floor(us / minute_us));
  const from_us = spans.reduce((least, span) => Math.min(least, span.from_us), Infinity);
  const to_us = spans.reduce((most, span) => Math.max(most, span.to_us), -Infinity);
  return { from_day: dayOf(from_us), to_day: dayOf(Math.min(to_us - 1, now_us)) };
}

function sensorsOf(catalog: Catalog, site_no: number): Int32Array {
  const inverters = invertersOf(catalog).filter(({ sensor }) => sensor.site_no === site_no);
  return Int32Array.from(inverters, ({ sensor }) => sensor.sensor_no);
}
