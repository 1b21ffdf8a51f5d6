// Trips and faults as evidence of inverters' outages, and the days that they speak of.
import type { Effects } from "../../base/effects.ts";
import { activeSpans, type Occurrence, standingSpan } from "../../model/alarms/alarm.ts";
import { type StateSpan, verdict } from "../../model/availability/availability.ts";
import { quarter_us } from "../../model/availability/fact.ts";
import type { TimeSpan } from "../../model/time/daylight.ts";
import { devicesAbove } from "../../model/plant/device_tree.ts";
import { listOccurrences, readTimelines } from "../../store/alarms/alarm.ts";
import type { Connection } from "../../store/connection.ts";
import type { AlarmChange, AlarmMark } from "../alarms/unit_of_work.ts";
import { carriesInverter, markSpans } from "./day.ts";
import type { Stage } from "./load.ts";
import type { SitePlant, Stream } from "./plant.ts";
import type { Catalog } from "../catalog/catalog.ts";

/** Classes of alarms that say that a device can't run. */
const outage_classes: readonly string[] = ["trip", "fault"];

/** What the trips and faults at each inverter of a stream, and at what it hangs on, say of it. */
export async function loadAlarms(
  session: Connection,
  { plant, stream }: { readonly plant: SitePlant; readonly stream: Stream },
  { scene }: Stage,
): Promise<readonly (readonly StateSpan[])[]> {
  const alarms = await listOccurrences(session, {
    site_no: plant.site_no,
    alarm_classes: outage_classes,
    from_us: scene.from * quarter_us,
    to_us: (scene.from + scene.count) * quarter_us,
  });
  // An automatic one stands from when it was raised until it was cleared: its life tells no more.
  const turning = alarms.filter(({ resolution_policy }) => resolution_policy !== "auto");
  const events = await readTimelines(session, turning);
  const lives = Map.groupBy(events, ({ occurrence_no }) => occurrence_no);
  // Of some at once, the one that came first says why.
  alarms.sort((a, b) => b.raised_at - a.raised_at || b.occurrence_no - a.occurrence_no);
  const by_device = Map.groupBy(alarms, ({ device_id }) => device_id);
  return stream.inverters.map(({ device }) =>
    [device.id, ...devicesAbove(plant.tree, device.id)]
      .flatMap((id) => by_device.get(id) ?? [])
      .flatMap((alarm) => claimsOf(alarm, activeSpans(alarm, lives.get(alarm.occurrence_no) ?? [])))
  );
}

function claimsOf({ rule_name }: Occurrence, spans: readonly TimeSpan[]): readonly StateSpan[] {
  const said = verdict("forced_outage", { evidence: "alarm", detail: rule_name });
  return spans.map((span) => ({ ...span, ...said }));
}

/** What the marking of days works with. */
export type AlarmDayParts = {
  readonly catalog: Catalog;
  readonly effects: Pick<Effects, "now_us">;
  /** Called after a commit that marked some. */
  readonly onOutage?: () => void;
};

/**
 * Marks the days on which inverters have states and which a write's trips and faults say other
 * things of than before; days that are not worked out yet are, when their samples come.
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

/** Whether an alarm speaks of inverters: a trip or fault of one, or of what some hang on. */
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
