// Stores access tokens by their digest, never their text.
import type { Scope } from "../../model/access/token.ts";
import type { Connection } from "../connection.ts";
import token_insert from "./token_insert.sql" with { type: "text" };
import token_list from "./token_list.sql" with { type: "text" };
import token_use from "./token_use.sql" with { type: "text" };

/** A stored token. Instants are microseconds since 1970 UTC. */
export type TokenRow = {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the text, in hexadecimal. */
  readonly digest: string;
  readonly organization_id: string | null;
  readonly project_ids: readonly string[] | null;
  readonly scopes: readonly Scope[];
  /** The user who acts with it; null for a machine's. */
  readonly user_id: string | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
};

/** Every token, revoked ones too, the oldest first. */
export async function readTokens(connection: Connection): Promise<TokenRow[]> {
  type Lists = { project_ids: string | null; scopes: string };
  const rows = await connection.rows<Omit<TokenRow, keyof Lists> & Lists>(token_list);
  return rows.map((row) => ({
    ...row,
    project_ids: row.project_ids === null ? null : words(row.project_ids),
    scopes: words(row.scopes) as Scope[],
  }));
}

/** Stores a new token. */
export async function insertToken(connection: Connection, row: TokenRow): Promise<void> {
  const { revoked_at: _, last_used_at: __, ...stored } = row;
  await connection.run(token_insert, stored);
}

/** Marks a token as revoked. */
export async function revokeToken(
  connection: Connection,
  { id, revoked_at }: { readonly id: string; readonly revoked_at: number },
): Promise<void> {
  const update = "UPDATE token SET revoked_at = $revoked_at WHERE id = $id";
  await connection.run(update, { id, revoked_at });
}

/** Stores when tokens were last used, by their id. */
export async function storeUses(
  connection: Connection,
  uses: ReadonlyMap<string, number>,
): Promise<void> {
  await connection.run(token_use, { ids: [...uses.keys()], used_at: [...uses.values()] });
}

function words(text: string): string[] {
  return text === "" ? [] : text.split(" ");
}
