// Stores links that read one thing, by the digest of their secret and never the secret.
import { type LinkRead, read_link_table, type ReadLink } from "../../model/access/read_link.ts";
import { omit } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { namesOf, statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

const links = table("read_link", read_link_table);

const plain = omit(read_link_table, "read");

const links_list = statement({
  sql: "SELECT {plain}, read FROM read_link ORDER BY created_at, id",
  row: { ...plain, read: "text" },
  names: { plain: namesOf(plain) },
});

/** Every link that is kept, the oldest first. */
export async function readReadLinks(connection: Connection): Promise<ReadLink[]> {
  const rows = await connection.rows(links_list);
  return rows.map((row) => ({ ...row, read: JSON.parse(row.read) as LinkRead }));
}

/** Stores a new link. */
export function insertReadLink(connection: Connection, link: ReadLink): Promise<void> {
  return appendRows(connection, links, [link]);
}

const link_revoke = statement({
  sql: "UPDATE read_link SET revoked_at = $revoked_at::BIGINT WHERE id = $id::VARCHAR",
  parameters: { id: "text", revoked_at: "instant" },
});

/** Marks a link as revoked. */
export function revokeReadLink(
  connection: Connection,
  { id, revoked_at }: { readonly id: string; readonly revoked_at: number },
): Promise<void> {
  return connection.run(link_revoke, { id, revoked_at });
}

const links_delete = statement({
  sql: "DELETE FROM read_link WHERE id IN (SELECT unnest($ids::VARCHAR[]))",
  parameters: { ids: "text[]" },
});

/** Deletes links. */
export async function deleteReadLinks(
  connection: Connection,
  ids: readonly string[],
): Promise<void> {
  if (ids.length > 0) await connection.run(links_delete, { ids });
}
