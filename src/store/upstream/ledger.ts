// Keeps what waits for each destination, what it does not take, and what it was sent.
import type { PlainRow } from "../../model/data/row.ts";
import type { StampSpan, StampSpans } from "../../model/upstream/span.ts";
import {
  asked_again_table,
  type AskedAgainRow,
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
  destination_no: "int32",
});

const of_destination = { destination_no: "int32" } as const;

const spans_list = statement({
  sql: `
    SELECT {row} FROM upstream_span WHERE destination_no = $destination_no::INTEGER
    ORDER BY project_no, from_us`,
  parameters: of_destination,
  row: span_table.columns,
});

/** What waits of each project by its number; a project that has none was never forwarded. */
export async function readUpstreamSpans(
  connection: Connection,
  destination_no: number,
): Promise<ReadonlyMap<number, StampSpans>> {
  const rows = await connection.rows(spans_list, { destination_no });
  const by_project = Map.groupBy(rows, ({ project_no }) => project_no);
  return new Map(Array.from(by_project, ([no, spans]) => [no, spans.map(spanOf)]));
}

function spanOf({ from_us, to_us }: PlainRow<typeof span_table.columns>): StampSpan {
  return { from_us, to_us };
}

const spans_delete = statement({
  sql: `
    DELETE FROM upstream_span
    WHERE project_no = $project_no::INTEGER AND destination_no = $destination_no::INTEGER`,
  parameters: { ...of_destination, project_no: "int32" },
});

/** A project, and where it is sent. */
export type SentProject = { readonly destination_no: number; readonly project_no: number };

/** Keeps what waits of a project, in place of what was kept. */
export async function storeUpstreamSpans(
  connection: Connection,
  sent: SentProject,
  spans: StampSpans,
): Promise<void> {
  await connection.run(spans_delete, sent);
  await appendRows(connection, span_table, spans.map((span) => ({ ...sent, ...span })));
}

const asides = table("upstream_aside", set_aside_table);

const asides_list = statement({
  sql: `
    SELECT {row} FROM upstream_aside WHERE destination_no = $destination_no::INTEGER
    ORDER BY tag_no, lane`,
  parameters: of_destination,
  row: set_aside_table,
});

/** The rows that a destination does not take, by tag and lane. */
export function readSetAside(
  connection: Connection,
  destination_no: number,
): Promise<SetAside[]> {
  return connection.rows(asides_list, { destination_no });
}

const asides_delete = statement({
  sql: `
    DELETE FROM upstream_aside
    WHERE tag_no IN (SELECT unnest($tag_nos::INTEGER[]))
      AND destination_no = $destination_no::INTEGER`,
  parameters: { ...of_destination, tag_nos: "int32[]" },
});

/** Adds rows to those set aside, all of one destination. */
export async function addSetAside(
  connection: Connection,
  added: readonly SetAside[],
): Promise<void> {
  if (added.length === 0) return;
  const [{ destination_no }] = added;
  const tag_nos = new Set(added.map(({ tag_no }) => tag_no));
  const known = (await readSetAside(connection, destination_no))
    .filter((it) => tag_nos.has(it.tag_no));
  await dropSetAside(connection, { destination_no, tag_nos: [...tag_nos] });
  const by_key = Map.groupBy([...known, ...added], ({ tag_no, lane }) => `${tag_no} ${lane}`);
  const sums = Array.from(by_key.values(), (rows) => rows.reduce(sumOfAside));
  await appendRows(connection, asides, sums);
}

/** Forgets the rows set aside of some tags. */
export async function dropSetAside(
  connection: Connection,
  { destination_no, tag_nos }: {
    readonly destination_no: number;
    readonly tag_nos: readonly number[];
  },
): Promise<void> {
  if (tag_nos.length > 0) await connection.run(asides_delete, { destination_no, tag_nos });
}

const asked = table("upstream_again", asked_again_table);

const asked_list = statement({
  sql: `
    SELECT {row} FROM upstream_again WHERE destination_no = $destination_no::INTEGER
    ORDER BY asked_at, tag_no, from_us`,
  parameters: of_destination,
  row: asked_again_table,
});

/** What people want a destination to be sent again, in turn. */
export function readAskedAgain(
  connection: Connection,
  destination_no: number,
): Promise<AskedAgainRow[]> {
  return connection.rows(asked_list, { destination_no });
}

/** Keeps what people want to be sent again. */
export function addAskedAgain(
  connection: Connection,
  rows: readonly AskedAgainRow[],
): Promise<void> {
  return appendRows(connection, asked, rows);
}

const asked_delete = statement({
  sql: `
    DELETE FROM upstream_again
    WHERE destination_no = $destination_no::INTEGER AND asked_at = $asked_at::BIGINT`,
  parameters: { ...of_destination, asked_at: "instant" },
});

/** Forgets what was asked for once: it was sent. */
export function dropAskedAgain(
  connection: Connection,
  asked: Pick<AskedAgainRow, "destination_no" | "asked_at">,
): Promise<void> {
  return connection.run(asked_delete, asked);
}

const days = table("upstream_day", upstream_day_table);

const days_list = statement({
  sql: `
    SELECT {row} FROM upstream_day WHERE destination_no = $destination_no::INTEGER ORDER BY day`,
  parameters: of_destination,
  row: upstream_day_table,
});

/** What a destination was sent, by day. */
export function readUpstreamDays(
  connection: Connection,
  destination_no: number,
): Promise<UpstreamDay[]> {
  return connection.rows(days_list, { destination_no });
}

const day_delete = statement({
  sql: `
    DELETE FROM upstream_day
    WHERE (day = $day OR day < $first_day) AND destination_no = $destination_no::INTEGER`,
  parameters: { ...of_destination, day: "int32", first_day: "int32" },
});

/** Keeps the sum of a day, and no more than some hundred days. */
export async function storeUpstreamDay(connection: Connection, sum: UpstreamDay): Promise<void> {
  const { day, destination_no } = sum;
  const first_day = day - upstream_limits.day_rows;
  await connection.run(day_delete, { day, first_day, destination_no });
  await appendRows(connection, days, [sum]);
}

const ledgers = ["span", "aside", "again", "day", "lost"].map((it) => `upstream_${it}`);
const ledgers_forget = ledgers.map(
  (ledger) =>
    statement({
      sql: "DELETE FROM {ledger} WHERE destination_no = $destination_no::INTEGER",
      parameters: of_destination,
      names: { ledger },
    }),
);

/** Forgets all of a destination: nothing waits for it any more. */
export async function forgetLedgers(connection: Connection, destination_no: number): Promise<void> {
  for (const forget of ledgers_forget) await connection.run(forget, { destination_no });
}
