// What issues are opened from: energy that was missed, and inverters that were unavailable.
import issue_drop_sql from "./issue_drop.sql" with { type: "text" };
import issue_outage_sql from "./outage_find.sql" with { type: "text" };
import type { TimeSpan } from "../../model/time/daylight.ts";
import type { DayRange } from "../availability/availability.ts";
import type { Connection } from "../connection.ts";
import type { PlainRow } from "../../model/data/row.ts";
import { statement } from "../statement.ts";

/** What some sensors measured over some quarter-hours, and what was expected. */
const drops_sum = statement({
  sql: issue_drop_sql,
  parameters: {
    sensors: "int32[]",
    from_day: "int32",
    to_day: "int32",
    from_quarter: "int32",
    to_quarter: "int32",
  },
  row: {
    sensor_no: "int32",
    /** The sums of a sensor of amounts. */
    measured: "float64",
    expected: "float64",
    /** The sums of a sensor of a rate, times hours. */
    measured_h: "float64",
    expected_h: "float64",
  },
});

/** What a sensor measured over time, and what was expected. */
export type Drop = PlainRow<typeof drops_sum.row>;

/** How long some inverters were in each state whose worth is known, and unavailable in it. */
const outages_sum = statement({
  sql: issue_outage_sql,
  parameters: {
    sensors: "int32[]",
    from_day: "int32",
    to_day: "int32",
    from_us: "instant",
    to_us: "instant",
  },
  row: { state: "text", hours: "float64", unavailable_hours: "float64" },
});

/** A state of inverters with its hours, and how many of them were unavailable. */
export type Outage = PlainRow<typeof outages_sum.row>;

type Range = DayRange & { readonly sensors: Int32Array };

/** Drops by sensor, over quarter-hours since 1970 UTC; `to_quarter` is not of them. */
export function readDrops(
  connection: Connection,
  range: Range & {
    readonly from_quarter: number;
    readonly to_quarter: number;
  },
): Promise<Drop[]> {
  return connection.rows(drops_sum, range);
}

/** Outages by state, the one with the most unavailable hours first. */
export function readOutages(connection: Connection, range: Range & TimeSpan): Promise<Outage[]> {
  return connection.rows(outages_sum, range);
}
