// Keeps at a centre what it knows of its gateways: when each was heard, up to when it has told.
import type { PlainRow } from "../../model/data/row.ts";
import type { Judging } from "../../model/rules/judging.ts";
import type { Connection } from "../connection.ts";
import { readFact } from "../meta.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

const gateway_table = table("gateway", {
  token_id: "text",
  /** The machine's own name. */
  name: "text",
  token_name: "text",
  version: "text",
  organization_id: "text?",
  /** JSON of the projects of its token; null for all of an organization, or of every one. */
  project_ids: "text?",
  lag_s: "float64",
  waiting_rows: "int64",
  lost_rows: "int64",
  heard_us: "instant",
});

/** A gateway as it was heard last. */
export type GatewayRow = PlainRow<typeof gateway_table.columns>;

const gateways_list = statement({
  sql: `
    SELECT {row}
    FROM gateway
    ORDER BY heard_us, token_id`,
  row: gateway_table.columns,
});

/** All of them, the one heard last is the last. */
export function readGateways(connection: Connection): Promise<GatewayRow[]> {
  return connection.rows(gateways_list);
}

const gateway_delete = statement({
  sql: "DELETE FROM gateway WHERE token_id = $token_id AND name = $name",
  parameters: { token_id: "text", name: "text" },
});

/** Forgets how a gateway was heard. */
export async function dropGateway(
  connection: Connection,
  { token_id, name }: Pick<GatewayRow, "token_id" | "name">,
): Promise<void> {
  await connection.run(gateway_delete, { token_id, name });
}

/** Keeps how a gateway was heard in place of what was kept of it. */
export async function storeGateway(connection: Connection, row: GatewayRow): Promise<void> {
  await dropGateway(connection, row);
  await appendRows(connection, gateway_table, [row]);
}

const mark_table = table("gateway_mark", {
  token_id: "text",
  project_no: "int32",
  name: "text",
  heard_us: "instant",
  /** What it stored before is here ... */
  told_us: "instant",
  /** ... but for what it stored in [backlog_from_us, backlog_to_us); null: all of it is. */
  backlog_from_us: "instant?",
  backlog_to_us: "instant?",
  /** Silences from here on are still to be looked for in what came late; null: none are. */
  review_us: "instant?",
});

/** Up to when a gateway has told what it stored of a project. */
export type GatewayMark = PlainRow<typeof mark_table.columns>;

const marks_list = statement({
  sql: "SELECT {row} FROM gateway_mark ORDER BY project_no, token_id",
  row: mark_table.columns,
});

/** All of them. */
export function readMarks(connection: Connection): Promise<GatewayMark[]> {
  return connection.rows(marks_list);
}

const mark_delete = statement({
  sql: "DELETE FROM gateway_mark WHERE token_id = $token_id AND project_no = $project_no::INTEGER",
  parameters: { token_id: "text", project_no: "int32" },
});

/** Keeps a mark in place of the one before. */
export async function storeMark(connection: Connection, mark: GatewayMark): Promise<void> {
  await connection.run(mark_delete, { token_id: mark.token_id, project_no: mark.project_no });
  await appendRows(connection, mark_table, [mark]);
}

const tag_table = table("gateway_tag", { token_id: "text", tag_no: "int32" });

/** A tag and the token of the gateway that sent it last. */
export type GatewayTag = PlainRow<typeof tag_table.columns>;

const tags_list = statement({
  sql: "SELECT {row} FROM gateway_tag ORDER BY tag_no",
  row: tag_table.columns,
});

/** The tags that come by gateways. */
export function readGatewayTags(connection: Connection): Promise<GatewayTag[]> {
  return connection.rows(tags_list);
}

const tags_delete = statement({
  sql: "DELETE FROM gateway_tag WHERE tag_no IN (SELECT unnest($tag_nos::INTEGER[]))",
  parameters: { tag_nos: "int32[]" },
});

/** Keeps which gateway sends some tags. */
export async function storeGatewayTags(
  connection: Connection,
  { token_id, tag_nos }: { readonly token_id: string; readonly tag_nos: readonly number[] },
): Promise<void> {
  await connection.run(tags_delete, { tag_nos });
  await appendRows(connection, tag_table, tag_nos.map((tag_no) => ({ token_id, tag_no })));
}

const forgotten = ["gateway", "gateway_mark", "gateway_tag"].map((name) =>
  statement({
    sql: "DELETE FROM {name} WHERE token_id IN (SELECT unnest($token_ids::VARCHAR[]))",
    names: { name },
    parameters: { token_ids: "text[]" },
  })
);

/** Forgets the gateways of some tokens. */
export async function forgetGateways(
  connection: Connection,
  token_ids: readonly string[],
): Promise<void> {
  for (const gone of forgotten) await connection.run(gone, { token_ids });
}

/** The name of the fact that says that rules are judged as by a service that has a centre. */
export const has_centre_fact = "has_centre";

/** What rules are judged by, as it is stored. */
export async function readJudging(connection: Connection): Promise<Judging> {
  const marks = await readMarks(connection);
  return {
    has_centre: await readFact(connection, has_centre_fact) !== undefined,
    gateway_projects: new Set(marks.map(({ project_no }) => project_no)),
  };
}
