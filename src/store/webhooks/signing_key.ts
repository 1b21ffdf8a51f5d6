// Stores the keys that sign webhooks, their secret halves sealed.
import { type KeptKey, signing_key_table } from "../../model/webhooks/signing_key.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";
import { secret_places } from "../vault.ts";

const keys_table = table("signing_key", signing_key_table);

const keys_list = statement({
  sql: "SELECT {row} FROM signing_key ORDER BY created_at, signs_from NULLS LAST, kid",
  row: signing_key_table,
});

/** Every key, the oldest first. */
export async function readSigningKeys(connection: Connection): Promise<KeptKey[]> {
  const { vault } = connection;
  const keys = await connection.rows(keys_list);
  return keys.map((key) => ({ ...key, seed: vault.unseal(key.seed, secret_places.seed(key.kid)) }));
}

const keys_delete = statement({ sql: "DELETE FROM signing_key" });

/** Stores `keys` in place of all that were stored. */
export async function replaceSigningKeys(
  connection: Connection,
  keys: readonly KeptKey[],
): Promise<void> {
  const { vault } = connection;
  await connection.run(keys_delete);
  await appendRows(
    connection,
    keys_table,
    keys.map((key) => ({ ...key, seed: vault.seal(key.seed, secret_places.seed(key.kid)) })),
  );
}
