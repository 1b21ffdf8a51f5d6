// What issues are opened from: energy that was missed, and inverters that were unavailable.
import issue_drop from "./issue_drop.sql" with { type: "text" };
import issue_outage from "./issue_outage.sql" with { type: "text" };
import type { TimeSpan } from "../../model/time/daylight.ts";
import type { DayRange } from "../availability/availability.ts";
import type { Connection } from "../connection.ts";

/** What a sensor measured over time, and what was expected. */
export type Drop = {
  readonly sensor_no: number;
  /** The sums of a sensor of amounts. */
  readonly measured: number;
  readonly expected: number;
  /** The sums of a sensor of a rate, times hours. */
  readonly measured_h: number;
  readonly expected_h: number;
};

/** A state of inverters with its hours, and how many of them were unavailable. */
export type Outage = {
  readonly state: string;
  readonly hours: number;
  readonly unavailable_hours: number;
};

type Range = DayRange & { readonly sensors: Int32Array };

/** Drops by sensor, over quarter-hours since 1970 UTC; `to_quarter` is not of them. */
export function readDrops(
  connection: Connection,
  range: Range & {
    readonly from_quarter: number;
    readonly to_quarter: number;
  },
): Promise<Drop[]> {
  return connection.rows<Drop>(issue_drop, range);
}

/** Outages by state, the one with the most unavailable hours first. */
export function readOutages(connection: Connection, range: Range & TimeSpan): Promise<Outage[]> {
  return connection.rows<Outage>(issue_outage, range);
}
