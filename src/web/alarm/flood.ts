// Floods: more alarms than an operator can answer, by EEMUA 191 and ISA-18.2. Pure.
import { alarm_limits } from "../../model/alarms/limits.ts";
import { type Alarm, isAnnunciated } from "./alarm.ts";

/** A time in which more came up than can be answered. */
export type Flood = {
  /** The alarm that it began with, which often tells the cause of the others. */
  readonly first: Alarm;
  readonly from_ms: number;
  /** When it was over: fewer than five in ten minutes. */
  readonly to_ms: number;
  readonly alarms: number;
  /** The most in ten minutes. */
  readonly peak: number;
};

const window_ms = alarm_limits.flood_window_us / 1000;
const { flood_alarms, flood_end_alarms } = alarm_limits;

/**
 * The floods among some alarms. One begins where more than ten come up within ten minutes, with the
 * first of these; it is over once fewer than five came up in the last ten minutes.
 */
export function floodsOf(alarms: readonly Alarm[]): readonly Flood[] {
  const raised = alarms.filter((it) => it.digit < 5 && isAnnunciated(it))
    .toSorted((a, b) => a.raised_ms - b.raised_ms);
  const floods: Flood[] = [];
  let begin = 0;
  let is_on = false;
  for (const [i, { raised_ms }] of raised.entries()) {
    const last = floods.at(-1);
    if (is_on && last && raised_ms > last.to_ms) is_on = false;
    while (raised[begin].raised_ms <= raised_ms - window_ms) begin++;
    const count = i - begin + 1;
    if (!is_on && count > flood_alarms) {
      is_on = true;
      const first = raised[begin];
      const { raised_ms: from_ms } = first;
      floods.push({ first, from_ms, to_ms: 0, alarms: count - 1, peak: count });
    }
    if (!is_on) continue;
    const flood = floods.at(-1)!;
    // The fifth last leaves the ten minutes then; until then there are five.
    const fifth = raised[i - flood_end_alarms + 1];
    floods[floods.length - 1] = {
      ...flood,
      to_ms: fifth.raised_ms + window_ms,
      alarms: flood.alarms + 1,
      peak: Math.max(flood.peak, count),
    };
  }
  return floods;
}

/** The flood that a moment is in. */
export function floodAt(alarms: readonly Alarm[], at_ms: number): Flood | undefined {
  const last = floodsOf(alarms).at(-1);
  return last && last.from_ms <= at_ms && at_ms < last.to_ms ? last : undefined;
}
