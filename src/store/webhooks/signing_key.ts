// Stores the keys that sign webhooks, their secret halves too.
import type { KeptKey } from "../../model/webhooks/signing_key.ts";
import type { Connection } from "../connection.ts";
import signing_key_insert from "./signing_key_insert.sql" with { type: "text" };
import signing_key_list from "./signing_key_list.sql" with { type: "text" };

/** Every key, the oldest first. */
export function readSigningKeys(connection: Connection): Promise<KeptKey[]> {
  return connection.rows<KeptKey>(signing_key_list);
}

/** Stores `keys` in place of all that were stored. */
export async function replaceSigningKeys(
  connection: Connection,
  keys: readonly KeptKey[],
): Promise<void> {
  await connection.run("DELETE FROM signing_key");
  for (const key of keys) await connection.run(signing_key_insert, key);
}
