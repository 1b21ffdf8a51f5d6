// Keeps the codes that let gateways in, each by its digest until it is used or over.
import { gateway_code_table, type GatewayCodeRow } from "../../model/upstream/version.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

const codes = table("gateway_code", gateway_code_table);

/** Keeps a code. */
export function addCode(connection: Connection, code: GatewayCodeRow): Promise<void> {
  return appendRows(connection, codes, [code]);
}

const code_find = statement({
  sql: "SELECT request FROM gateway_code WHERE digest = $digest",
  parameters: { digest: "text" },
  row: { request: "text" },
});

/** What a code was made for; undefined for none. */
export async function findCode(
  connection: Connection,
  digest: string,
): Promise<string | undefined> {
  const [found] = await connection.rows(code_find, { digest });
  return found?.request;
}

const code_delete = statement({
  sql: "DELETE FROM gateway_code WHERE digest = $digest",
  parameters: { digest: "text" },
});

/** Forgets a code. */
export async function dropCode(connection: Connection, digest: string): Promise<void> {
  await connection.run(code_delete, { digest });
}

const old_delete = statement({
  sql: "DELETE FROM gateway_code WHERE expires_at <= $now_us",
  parameters: { now_us: "instant" },
});

/** Forgets codes that are over. */
export async function dropOldCodes(connection: Connection, now_us: number): Promise<void> {
  await connection.run(old_delete, { now_us });
}

const code_count = statement({
  sql: `
    SELECT count(*)::INTEGER AS codes FROM gateway_code
    WHERE organization_id IS NOT DISTINCT FROM $organization_id`,
  parameters: { organization_id: "text?" },
  row: { codes: "int32" },
});

/** How many codes wait of an organization. */
export async function countCodes(
  connection: Connection,
  organization_id: string | null,
): Promise<number> {
  const [{ codes }] = await connection.rows(code_count, { organization_id });
  return codes;
}
