// Recomputes everything that is rolled up from the samples, day by day, and reports differences.
import { limits } from "../base/limits.ts";
import { dayText } from "../model/calendar.ts";
import { minute_us } from "../model/series.ts";
import type { Database } from "../store/database.ts";
import { openRollSession } from "../store/roll.ts";
import {
  countWorked,
  listDifferences,
  listVerifyDays,
  type RowDifference,
  touchDay,
} from "../store/roll_verify.ts";
import type { TableName } from "../store/roll_work.ts";
import type { Catalog } from "./catalog.ts";
import type { Roll } from "./roll.ts";
import { workTouched } from "./roll_pass.ts";

/** What was found on one day (UTC). */
export type VerifiedDay = {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** This day's place among all that are verified, counted from 1, and how many these are. */
  readonly place: number;
  readonly days: number;
  /** Minutes and readings that were worked out anew. */
  readonly checked: number;
  /** Rows that differ, by table; a row of a local day can be found on both days that it touches. */
  readonly differences: Readonly<Record<TableName, number>>;
  /** One sentence each on the first of them. */
  readonly examples: readonly string[];
};

/** Verifies day by day, changing nothing. The roll-up is settled first and stands still then. */
export async function* verify(
  { database, catalog, roll }: {
    readonly database: Database;
    readonly catalog: Catalog;
    readonly roll: Pick<Roll, "holdSettled">;
  },
): AsyncGenerator<VerifiedDay, void> {
  using held = await roll.holdSettled();
  const session = await openRollSession(database);
  try {
    const days = await listVerifyDays(session);
    for (const [i, day] of days.entries()) {
      await touchDay(session, { day, over_us: held.over_minute * minute_us });
      const found = await workTouched(session, held.over_minute);
      const count = (name: TableName) => {
        const counts = found.counts.get(name);
        return (counts?.fresh ?? 0) + (counts?.other ?? 0);
      };
      const examples = await listDifferences(session, limits.differences_shown);
      yield {
        day: dayText(day),
        place: i + 1,
        days: days.length,
        checked: await countWorked(session),
        differences: {
          minute: count("minute"),
          reading: count("reading"),
          quarter: count("quarter"),
          daily: count("daily"),
        },
        examples: examples.map((row) => sentenceOf(row, catalog)),
      };
    }
  } finally {
    session.close();
  }
}

const verdicts = {
  insert: "is missing",
  update: "differs from what the samples give",
  delete: "has no samples behind it",
} as const;

function sentenceOf(row: RowDifference, catalog: Catalog): string {
  const sensor = catalog.sensors.find((sensor) => sensor.sensor_no === row.sensor_no);
  const tag = catalog.tag(row.tag_no ?? sensor?.tag_no ?? -1);
  const at = new Date(row.minute * 60_000).toISOString().slice(0, row.name === "daily" ? 10 : 16);
  const measure = sensor ? ` (${sensor.component} ${sensor.measure})` : "";
  return `${row.name} ${at} of ${tag?.sensor_tag ?? "an unknown tag"}${measure} ${
    verdicts[row.op]
  }`;
}
