// Marks the days of inverters that an alarm or work says something new of, to be computed again.
import type { Effects } from "../../base/effects.ts";
import { type Occurrence, standingSpan } from "../../model/alarms/alarm.ts";
import { devicesBelow } from "../../model/plant/device_tree.ts";
import type { TimeSpan } from "../../model/time/daylight.ts";
import { minute_us } from "../../model/time/series.ts";
import { dayAt } from "../../model/time/zone.ts";
import { workedDevices, type WorkOrder } from "../../model/work/work_order.ts";
import { knownDays, markInverterRange } from "../../store/availability/availability.ts";
import type { Write } from "../../store/database.ts";
import { plantTree } from "../alarms/reach.ts";
import type { AlarmChange, AlarmMark } from "../alarms/unit_of_work.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { invertersOf } from "../catalog/inverter.ts";
import type { WorkMark } from "../work/commit.ts";
import type { Change } from "../work/identity_map.ts";
import { outage_classes } from "../../model/availability/availability.ts";

/** What the marking of days works with. */
type AlarmDayParts = {
  readonly catalog: Catalog;
  readonly effects: Pick<Effects, "now_us">;
  /** Called after a commit that marked some. */
  readonly onOutage?: () => void;
};

/**
 * Marks the days on which inverters have states and which a write's trips and faults say other
 * things of than before; days that are not computed yet are, when their samples come.
 */
export function alarmDays({ catalog, effects, onOutage }: AlarmDayParts): AlarmMark {
  return async (changes) => {
    const spans = [...changes.all].flatMap((change) => {
      const span = changedSpan(change, (alarm) => isOutage(catalog, alarm));
      return span ? [{ site_no: change.occurrence.site_no, ...span }] : [];
    });
    let marked = false;
    for (const [site_no, own] of Map.groupBy(spans, ({ site_no }) => site_no)) {
      const range = { site_no, spans: own, now_us: effects.now_us() };
      if (await markSpans(changes.write, catalog, range)) marked = true;
    }
    return () => marked && onOutage?.();
  };
}

/** Whether an alarm is about inverters: a trip or fault of one, or of what some depend on. */
function isOutage(catalog: Catalog, { alarm_class, device_id }: Occurrence): boolean {
  if (device_id === null || !outage_classes.includes(alarm_class ?? "")) return false;
  return carriesInverter(catalog, device_id);
}

/** The time of which a change makes an alarm say something else than before. */
function changedSpan(
  { before, occurrence }: AlarmChange,
  isTold: (alarm: Occurrence) => boolean,
): TimeSpan | undefined {
  if (before === occurrence) return undefined;
  const [old, now] = [before, occurrence].map((it) => it && isTold(it) ? it : undefined);
  const [was, is] = [old, now].map((it) => it && standingSpan(it));
  if (!was || !is) return was ?? is;
  const is_same = old?.device_id === now?.device_id && old?.rule_name === now?.rule_name &&
    was.from_us === is.from_us;
  const from_us = is_same ? Math.min(was.to_us, is.to_us) : Math.min(was.from_us, is.from_us);
  const to_us = Math.max(was.to_us, is.to_us);
  return from_us < to_us ? { from_us, to_us } : undefined;
}

/**
 * Marks the day on which a write begins or ends work on inverters: what was before it stays as it
 * is, and `onWork` is called after the commit.
 */
export function workDays(
  { catalog, effects, onWork }: {
    readonly catalog: Catalog;
    readonly effects: Pick<Effects, "now_us">;
    readonly onWork: () => void;
  },
): WorkMark {
  return async ({ orders }, write) => {
    const devices = new Set(orders.flatMap(turnedDevices));
    const sites = new Set(
      [...devices].filter((id) => carriesInverter(catalog, id))
        .flatMap((id) => catalog.device(id)?.site_no ?? []),
    );
    const now_us = effects.now_us();
    const spans = [{ from_us: now_us, to_us: now_us + 1 }];
    let marked = false;
    for (const site_no of sites) {
      if (await markSpans(write, catalog, { site_no, spans, now_us })) marked = true;
    }
    return () => marked && onWork();
  };
}

/** The devices that are worked on otherwise than before. */
function turnedDevices({ before, after }: Change<WorkOrder>): readonly string[] {
  const was = before ? workedDevices(before) : new Set<string>();
  const is = workedDevices(after);
  const is_retyped = before !== undefined && before.work_type !== after.work_type;
  return [...is_retyped ? was.union(is) : was.symmetricDifference(is)];
}

/** The spans of a site of which something new is known. */
type SiteSpans = {
  readonly site_no: number;
  readonly spans: readonly TimeSpan[];
  readonly now_us: number;
};

/** Whether a device is an inverter, or some depend on it. */
function carriesInverter(catalog: Catalog, device_id: string): boolean {
  const devices = [device_id, ...devicesBelow(plantTree(catalog), device_id)];
  return devices.some((id) => catalog.device(id)?.type === "inverter");
}

/**
 * Marks the days of a site that some spans touch and on which its inverters have states; gives
 * whether there are any. Others are computed when their samples come.
 */
async function markSpans(
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
