// Stores the keys that sign webhooks, their secret halves too.
import { type KeptKey, signing_key_table } from "../../model/webhooks/signing_key.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

const keys_table = table("signing_key", signing_key_table);

const keys_list = statement({
  sql: "SELECT {row} FROM signing_key ORDER BY created_at, kid",
  row: signing_key_table,
});

/** Every key, the oldest first. */
export function readSigningKeys(connection: Connection): Promise<KeptKey[]> {
  return connection.rows(keys_list);
}

const keys_delete = statement({ sql: "DELETE FROM signing_key" });

/** Stores `keys` in place of all that were stored. */
export async function replaceSigningKeys(
  connection: Connection,
  keys: readonly KeptKey[],
): Promise<void> {
  await connection.run(keys_delete);
  await appendRows(connection, keys_table, keys);
}
