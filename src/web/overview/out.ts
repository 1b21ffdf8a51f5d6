// Which inverters are out of service at a moment, and by what; how many produce. Pure.
import { outage_classes } from "../../model/availability/availability.ts";
import type { Alarm } from "../alarm/alarm.ts";

/** The newest power of an inverter. */
export type Newest = { readonly power_w: number; readonly ts_ms: number };

type OutFacts = {
  readonly newest: Newest | undefined;
  /** The inverter's own. */
  readonly alarms: readonly Pick<Alarm, "alarm_class" | "cleared_ms" | "rule_name" | "status">[];
  /** Whether its newest state is one of an outage. */
  readonly is_state_out: boolean;
};

/**
 * By what an inverter is out: the name of an alarm that stands, or nothing but its state (""). One
 * that produces is not, whatever else is said of it.
 */
export function outReason({ newest, alarms, is_state_out }: OutFacts): string | undefined {
  if (newest && newest.power_w > 0) return undefined;
  const trip = alarms.find(({ alarm_class, cleared_ms, status }) =>
    outage_classes.includes(alarm_class ?? "") && cleared_ms === null && status !== "resolved"
  );
  return trip?.rule_name ?? (is_state_out ? "" : undefined);
}

/**
 * How many inverters produce by their newest values since `from_ms`; NaN where there is none since
 * then. With the instant of the newest value of all.
 */
export function producingSince(
  newest: readonly Newest[],
  from_ms: number,
): { readonly count: number; readonly newest_ms: number } {
  const known = newest.filter(({ ts_ms }) => ts_ms >= from_ms);
  const count = known.filter(({ power_w }) => power_w > 0).length;
  return {
    count: known.length > 0 ? count : NaN,
    newest_ms: Math.max(...newest.map(({ ts_ms }) => ts_ms)),
  };
}

/** Those whose newest state by a moment is an outage, unless that is long ago. */
export function outAt(
  { hierarchy_id, from, to, unavailable }: {
    readonly hierarchy_id: readonly (string | null)[];
    readonly from: Float64Array;
    readonly to: Float64Array;
    readonly unavailable: Float64Array;
  },
  until_ms: number,
): ReadonlySet<string> {
  const newest = new Map<string, number>();
  hierarchy_id.forEach((id, i) => {
    if (id === null || from[i] >= until_ms || to[i] < until_ms - recent_ms) return;
    const before = newest.get(id);
    if (before === undefined || from[before] < from[i]) newest.set(id, i);
  });
  return new Set([...newest].flatMap(([id, i]) => unavailable[i] > 0.5 ? [id] : []));
}

/** States come by quarter-hour, some minutes after it is over. */
const recent_ms = 30 * 60_000;
