// Keeps what a gateway has still to forward, what its centre does not take, and what it sent.
import type { PlainRow } from "../../model/data/row.ts";
import type { StampSpan, StampSpans } from "../../model/upstream/span.ts";
import {
  set_aside_table,
  type SetAside,
  sumOfAside,
  upstream_day_table,
  type UpstreamDay,
} from "../../model/upstream/upstream.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

const span_table = table("upstream_span", {
  project_no: "int32",
  from_us: "instant",
  to_us: "instant",
});

const spans_list = statement({
  sql: "SELECT {row} FROM upstream_span ORDER BY project_no, from_us",
  row: span_table.columns,
});

/** What waits of each project by its number; a project that has none was never forwarded. */
export async function readUpstreamSpans(
  connection: Connection,
): Promise<ReadonlyMap<number, StampSpans>> {
  const rows = await connection.rows(spans_list);
  const by_project = Map.groupBy(rows, ({ project_no }) => project_no);
  return new Map(Array.from(by_project, ([no, spans]) => [no, spans.map(spanOf)]));
}

function spanOf({ from_us, to_us }: PlainRow<typeof span_table.columns>): StampSpan {
  return { from_us, to_us };
}

const spans_delete = statement({
  sql: "DELETE FROM upstream_span WHERE project_no = $project_no",
  parameters: { project_no: "int32" },
});

/** Keeps what waits of a project, in place of what was kept. */
export async function storeUpstreamSpans(
  connection: Connection,
  project_no: number,
  spans: StampSpans,
): Promise<void> {
  await connection.run(spans_delete, { project_no });
  await appendRows(connection, span_table, spans.map((span) => ({ project_no, ...span })));
}

const asides = table("upstream_aside", set_aside_table);

const asides_list = statement({
  sql: "SELECT {row} FROM upstream_aside ORDER BY tag_no, lane",
  row: set_aside_table,
});

/** The rows that the centre does not take, by tag and lane. */
export function readSetAside(connection: Connection): Promise<SetAside[]> {
  return connection.rows(asides_list);
}

const asides_delete = statement({
  sql: "DELETE FROM upstream_aside WHERE tag_no IN (SELECT unnest($tag_nos::INTEGER[]))",
  parameters: { tag_nos: "int32[]" },
});

/** Adds rows to those set aside. */
export async function addSetAside(
  connection: Connection,
  added: readonly SetAside[],
): Promise<void> {
  if (added.length === 0) return;
  const tag_nos = [...new Set(added.map(({ tag_no }) => tag_no))];
  const known = (await readSetAside(connection)).filter((it) => tag_nos.includes(it.tag_no));
  await dropSetAside(connection, tag_nos);
  const by_key = Map.groupBy([...known, ...added], ({ tag_no, lane }) => `${tag_no} ${lane}`);
  const sums = Array.from(by_key.values(), (rows) => rows.reduce(sumOfAside));
  await appendRows(connection, asides, sums);
}

/** Forgets the rows set aside of some tags. */
export async function dropSetAside(
  connection: Connection,
  tag_nos: readonly number[],
): Promise<void> {
  if (tag_nos.length > 0) await connection.run(asides_delete, { tag_nos });
}

const days = table("upstream_day", upstream_day_table);

const days_list = statement({
  sql: "SELECT {row} FROM upstream_day ORDER BY day",
  row: upstream_day_table,
});

/** What was sent, by day. */
export function readUpstreamDays(connection: Connection): Promise<UpstreamDay[]> {
  return connection.rows(days_list);
}

const day_delete = statement({
  sql: "DELETE FROM upstream_day WHERE day = $day OR day < $first_day",
  parameters: { day: "int32", first_day: "int32" },
});

/** Keeps the sum of a day, and no more than some hundred days. */
export async function storeUpstreamDay(connection: Connection, sum: UpstreamDay): Promise<void> {
  await connection.run(day_delete, { day: sum.day, first_day: sum.day - upstream_limits.day_rows });
  await appendRows(connection, days, [sum]);
}
