// Links that read one thing without a token: what is kept of one, and the text that makes it.
import { json, type PlainRow } from "../data/row.ts";

/** What a link reads: an address of the interface with its parameters, or a question in SQL. */
export type LinkRead =
  | { readonly path: string }
  | { readonly sql: string; readonly projects?: readonly string[]; readonly timezone: string };

/** A link; instants are microseconds since 1970 UTC. */
export const read_link_table = {
  id: "text",
  name: "text",
  /** SHA-256 of the secret part of its address, in hexadecimal. */
  digest: "text",
  read: json<LinkRead>(),
  format: "text",
  /** Whose rights it has: those of a token, or else of a user who was signed in. */
  token_id: "text?",
  user_id: "text?",
  created_at: "instant",
  expires_at: "instant",
  revoked_at: "instant?",
} as const;

/** A link; instants are microseconds since 1970 UTC. */
export type ReadLink = PlainRow<typeof read_link_table>;

/** The address of a link; its file's name tells programs which form it has. */
export function readLinkPath(
  { id, format }: Pick<ReadLink, "id" | "format">,
  secret: string,
): string {
  return `/links/${id}/${secret}.${format}`;
}
