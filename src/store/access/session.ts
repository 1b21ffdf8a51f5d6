// Stores who is signed in, links that sign in once, and passwords; of each secret only its hash.
import {
  link_table,
  type LinkRow,
  session_table,
  type SessionRow,
} from "../../model/access/session.ts";
import type { PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

const sessions = table("session", session_table);
const links = table("sign_in_link", link_table);
const passwords = table("password", { user_id: "text", hash: "text", changed_at: "instant" });

/** What is kept of a user's password. */
type PasswordRow = PlainRow<typeof passwords.columns>;

const sessions_list = statement({
  sql: "SELECT {row} FROM session ORDER BY created_at, id",
  row: session_table,
});

/** Every session, the oldest first. */
export function readSessions(connection: Connection): Promise<SessionRow[]> {
  return connection.rows(sessions_list);
}

/** Stores a new session. */
export async function insertSession(connection: Connection, row: SessionRow): Promise<void> {
  await appendRows(connection, sessions, [row]);
}

const sessions_delete = statement({
  sql: "DELETE FROM session WHERE id IN (SELECT unnest($ids::VARCHAR[]))",
  parameters: { ids: "text[]" },
});

/** Deletes sessions. */
export async function deleteSessions(
  connection: Connection,
  ids: readonly string[],
): Promise<void> {
  if (ids.length > 0) await connection.run(sessions_delete, { ids });
}

/** Stores when sessions were last used: item i of `used_at` is that of item i of `ids`. */
const session_uses_store = statement({
  sql: `
    UPDATE session SET last_used_at = used.at
    FROM (SELECT unnest($ids::VARCHAR[]) AS id, unnest($used_at::BIGINT[]) AS at) AS used
    WHERE session.id = used.id`,
  parameters: { ids: "text[]", used_at: "instant[]" },
});

/** Stores when sessions were last used, by their id. */
export async function storeSessionUses(
  connection: Connection,
  uses: ReadonlyMap<string, number>,
): Promise<void> {
  await connection.run(session_uses_store, { ids: [...uses.keys()], used_at: [...uses.values()] });
}

const links_list = statement({ sql: "SELECT {row} FROM sign_in_link", row: link_table });

/** Every link that is not used. */
export function readSignInLinks(connection: Connection): Promise<LinkRow[]> {
  return connection.rows(links_list);
}

/** Stores a new link. */
export async function insertSignInLink(connection: Connection, row: LinkRow): Promise<void> {
  await appendRows(connection, links, [row]);
}

const links_delete = statement({
  sql: "DELETE FROM sign_in_link WHERE digest IN (SELECT unnest($digests::VARCHAR[]))",
  parameters: { digests: "text[]" },
});

/** Deletes links. */
export async function deleteSignInLinks(
  connection: Connection,
  digests: readonly string[],
): Promise<void> {
  if (digests.length > 0) await connection.run(links_delete, { digests });
}

const passwords_list = statement({
  sql: "SELECT {row} FROM password",
  row: passwords.columns,
});

/** What is kept of every password. */
export function readPasswords(connection: Connection): Promise<PasswordRow[]> {
  return connection.rows(passwords_list);
}

const password_delete = statement({
  sql: "DELETE FROM password WHERE user_id = $user_id::VARCHAR",
  parameters: { user_id: "text" },
});

/** Stores a user's password in place of the one before. */
export async function putPassword(connection: Connection, row: PasswordRow): Promise<void> {
  await connection.run(password_delete, { user_id: row.user_id });
  await appendRows(connection, passwords, [row]);
}
