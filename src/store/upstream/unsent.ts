// What retention has to know of rows that wait to be forwarded, and a note of those that it drops.
import type { TagDays } from "../retention/drop.ts";
import {
  type ForwardedKind,
  upstream_lost_table,
  type UpstreamLost,
} from "../../model/upstream/upstream.ts";
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";
import { statement } from "../statement.ts";
import { table } from "../table.ts";
import unsent_count_sql from "./unsent_count.sql" with { type: "text" };

/** The first day of rows that wait. */
const unsent_find_sql = `
  SELECT min(r.ts // 86400000000)::INTEGER AS day
  FROM {rows} AS r
  JOIN tag USING (tag_no)
  ASOF JOIN (
    FROM upstream_span WHERE destination_no = $destination_no::INTEGER
  ) AS s ON s.project_no = tag.project_no AND r.received_at >= s.from_us
  WHERE r.ts < $end_day::BIGINT * 86400000000 AND r.received_at < s.to_us`;

function statementsOf(kept: ForwardedKind) {
  const rows = kept === "samples" ? "sample" : "forecast";
  return {
    find: statement({
      sql: unsent_find_sql,
      parameters: { end_day: "int64", destination_no: "int32" },
      row: { day: "int32?" },
      names: { rows },
      ...kept === "samples" ? { reach: "before" } as const : {},
    }),
    count: statement({
      sql: unsent_count_sql,
      parameters: {
        ...{ kept: "text", day: "int64", tag_nos: "int32[]", lost_at: "instant" },
        destination_no: "int32",
      },
      names: { rows },
      ...kept === "samples" ? { reach: "near" } as const : {},
    }),
  };
}

const by_kind = { samples: statementsOf("samples"), forecasts: statementsOf("forecasts") };

/**
 * The first day (UTC, since 1970) before `end_day` of which rows wait for a destination; undefined
 * for none.
 */
export async function findUnsentDay(
  connection: Connection,
  { kept, ...asked }: {
    readonly kept: ForwardedKind;
    readonly end_day: number;
    readonly destination_no: number;
  },
): Promise<number | undefined> {
  const [{ day }] = await connection.rows(by_kind[kept].find, asked);
  return day ?? undefined;
}

/** Notes how many rows wait for destinations of what is about to be dropped of a day. */
export async function noteLost(
  { connection, now_us }: Write,
  { kept, day, due, destination_nos }: {
    readonly kept: ForwardedKind;
    readonly day: number;
    readonly due: readonly TagDays[];
    readonly destination_nos: readonly number[];
  },
): Promise<void> {
  const tags = due.filter(({ from_day, to_day }) => from_day <= day && day < to_day);
  const tag_nos = tags.map(({ tag_no }) => tag_no);
  for (const destination_no of destination_nos) {
    const noted = { kept, day, tag_nos, lost_at: now_us, destination_no };
    await connection.run(by_kind[kept].count, noted);
  }
}

table("upstream_lost", upstream_lost_table);

const lost_list = statement({
  sql: `
    SELECT {row} FROM upstream_lost WHERE destination_no = $destination_no::INTEGER
    ORDER BY lost_at DESC, project_no, day DESC
    LIMIT 1000`,
  parameters: { destination_no: "int32" },
  row: upstream_lost_table,
});

/** What was dropped before a destination had it, the last thousand days of it. */
export function readUpstreamLost(
  connection: Connection,
  destination_no: number,
): Promise<UpstreamLost[]> {
  return connection.rows(lost_list, { destination_no });
}
