// Recomputes everything that is rolled up from the samples, day by day, and reports differences.
import { service_limits } from "./limits.ts";
import { dayText } from "../../model/time/calendar.ts";
import { minute_us } from "../../model/time/series.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { openRollSession } from "../../store/rollup/progress.ts";
import {
  countWorked,
  listDifferences,
  listVerifyDays,
  type RowDifference,
  touchDay,
} from "../../store/rollup/verify.ts";
import type { TableName } from "../../store/rollup/worktables.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Rollup } from "../rollup/rollup.ts";
import { type PassPlan, planPass, readWorkPlant, workSlice } from "../rollup/pass.ts";

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
    readonly roll: Pick<Rollup, "holdSettled">;
  },
): AsyncGenerator<VerifiedDay, void> {
  using held = await roll.holdSettled();
  const session = await openRollSession(database);
  try {
    const plant = await readWorkPlant(session, undefined);
    const days = await listVerifyDays(session);
    for (const [i, day] of days.entries()) {
      await touchDay(session, { day, over_us: held.over_minute * minute_us });
      const found = await compare(session, { ...held, plant });
      yield {
        ...found,
        day: dayText(day),
        place: i + 1,
        days: days.length,
        examples: found.examples.map((row) => sentenceOf(row, catalog)),
      };
    }
  } finally {
    session.close();
  }
}

type Compared = Pick<VerifiedDay, "checked" | "differences"> & {
  readonly examples: readonly RowDifference[];
};

/** Works out what is touched, slice by slice, and sets it against what is stored. */
async function compare(
  session: Connection,
  { over_minute, plant }: Omit<PassPlan, "slices">,
): Promise<Compared> {
  const { slices } = await planPass(session, { over_minute, plant, units: Infinity });
  const differences = { minute: 0, reading: 0, quarter: 0, daily: 0 };
  const examples: RowDifference[] = [];
  let checked = 0;
  for (const slice of slices) {
    const { counts } = await workSlice(session, { over_minute, plant, slice });
    for (const [name, { fresh, other }] of counts) differences[name] += fresh + other;
    examples.push(
      ...await listDifferences(session, service_limits.differences_shown - examples.length),
    );
    checked += await countWorked(session);
  }
  return { checked, differences, examples };
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
