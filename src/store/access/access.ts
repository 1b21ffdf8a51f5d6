// Stores who has access: tokens, by their digest and never their text, and users.
import type { Scope } from "../../model/access/token.ts";
import { type User, user_table } from "../../model/access/user.ts";
import { omit, pick, type PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import { namesOf, statement } from "../statement.ts";
import { table } from "../table.ts";

const token_table = table("token", {
  id: "text",
  name: "text",
  /** SHA-256 of the text, in hexadecimal. */
  digest: "text",
  organization_id: "text?",
  project_ids: "text[]?",
  /** Each a `Scope`. */
  scopes: "text[]",
  created_at: "instant",
  expires_at: "instant?",
  revoked_at: "instant?",
  last_used_at: "instant?",
  /** The user who acts with it; null for a machine's. */
  user_id: "text?",
});

/** A stored token. Instants are microseconds since 1970 UTC. */
export type TokenRow = Omit<PlainRow<typeof token_table.columns>, "scopes"> & {
  readonly scopes: readonly Scope[];
};

/** Every token, its lists as words with a space between them. */
const tokens_list = statement({
  sql: `
    SELECT
      id, name, digest, organization_id,
      array_to_string(project_ids, ' ')::VARCHAR AS project_ids,
      array_to_string(scopes, ' ')::VARCHAR AS scopes,
      user_id, created_at, expires_at, revoked_at, last_used_at
    FROM token
    ORDER BY created_at, id`,
  row: {
    ...pick(token_table.columns, "id", "name", "digest", "organization_id"),
    project_ids: "text?",
    scopes: "text",
    ...pick(token_table.columns, "user_id", "created_at", "expires_at", "revoked_at"),
    ...pick(token_table.columns, "last_used_at"),
  },
});

/** Every token, revoked ones too, the oldest first. */
export async function readTokens(connection: Connection): Promise<TokenRow[]> {
  const rows = await connection.rows(tokens_list);
  return rows.map(withLists);
}

/** A row whose lists came as words. */
function withLists<Row extends { readonly scopes: string; readonly project_ids: string | null }>(
  row: Row,
) {
  return {
    ...row,
    project_ids: row.project_ids === null ? null : words(row.project_ids),
    scopes: words(row.scopes) as Scope[],
  };
}

const new_token = omit(token_table.columns, "revoked_at", "last_used_at");

/** Stores a new token: neither revoked nor used. */
const token_insert = statement({
  sql: `
    INSERT INTO token (
      id, name, digest, organization_id, project_ids, scopes, created_at, expires_at, user_id
    )
    VALUES (
      $id::VARCHAR, $name::VARCHAR, $digest::VARCHAR, $organization_id::VARCHAR,
      $project_ids::VARCHAR[], $scopes::VARCHAR[], $created_at::BIGINT, $expires_at::BIGINT,
      $user_id::VARCHAR)`,
  parameters: new_token,
});

/** Stores a new token. */
export async function insertToken(connection: Connection, row: TokenRow): Promise<void> {
  await connection.run(token_insert, row);
}

const token_revoke = statement({
  sql: "UPDATE token SET revoked_at = $revoked_at::BIGINT WHERE id = $id::VARCHAR",
  parameters: { id: "text", revoked_at: "instant" },
});

/** Marks a token as revoked. */
export async function revokeToken(
  connection: Connection,
  { id, revoked_at }: { readonly id: string; readonly revoked_at: number },
): Promise<void> {
  await connection.run(token_revoke, { id, revoked_at });
}

/** Stores when tokens were last used: item i of `used_at` is that of item i of `ids`. */
const uses_store = statement({
  sql: `
    UPDATE token SET last_used_at = used.at
    FROM (SELECT unnest($ids::VARCHAR[]) AS id, unnest($used_at::BIGINT[]) AS at) AS used
    WHERE token.id = used.id`,
  parameters: { ids: "text[]", used_at: "instant[]" },
});

/** Stores when tokens were last used, by their id. */
export async function storeUses(
  connection: Connection,
  uses: ReadonlyMap<string, number>,
): Promise<void> {
  await connection.run(uses_store, { ids: [...uses.keys()], used_at: [...uses.values()] });
}

function words(text: string): string[] {
  return text === "" ? [] : text.split(" ");
}

table("user", user_table, { written_by: "name" });

const person = omit(user_table, "scopes", "project_ids");

/** Every user, the lists as words with a space between them. */
const users_list = statement({
  sql: `
    SELECT
      {person},
      coalesce(array_to_string(scopes, ' '), '')::VARCHAR AS scopes,
      array_to_string(project_ids, ' ')::VARCHAR AS project_ids
    FROM "user"
    ORDER BY created_at, id`,
  row: { ...person, scopes: "text", project_ids: "text?" },
  names: { person: namesOf(person) },
});

/** Every user, disabled ones too, the oldest first. */
export async function readUsers(connection: Connection): Promise<User[]> {
  return (await connection.rows(users_list)).map(withLists);
}

const user_insert = statement({
  sql: `
    INSERT INTO "user" (
      {person}, scopes, project_ids
    )
    VALUES (
      $id::VARCHAR, $organization_id::VARCHAR, $email::VARCHAR, $first_name::VARCHAR,
      $last_name::VARCHAR, $created_at::BIGINT, $disabled_at::BIGINT, $scopes::VARCHAR[],
      $project_ids::VARCHAR[])`,
  parameters: user_table,
  names: { person: namesOf(person) },
});

/** Stores a new user. */
export async function insertUser(connection: Connection, user: User): Promise<void> {
  await connection.run(user_insert, user);
}

/** Changes all that may change of a user. */
const user_change = statement({
  sql: `
    UPDATE "user" SET
      email = $email::VARCHAR, first_name = $first_name::VARCHAR, last_name = $last_name::VARCHAR,
      disabled_at = $disabled_at::BIGINT, scopes = $scopes::VARCHAR[],
      project_ids = $project_ids::VARCHAR[]
    WHERE id = $id::VARCHAR`,
  parameters: omit(user_table, "organization_id", "created_at"),
});

/** Stores what may change of a user. */
export async function changeUser(connection: Connection, user: User): Promise<void> {
  await connection.run(user_change, user);
}
