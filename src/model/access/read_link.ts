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

/** The name of the file that a link gives; its end tells programs which form it has. */
export function linkFileName({ name, format }: Pick<ReadLink, "name" | "format">): string {
  return `${name.replaceAll(/[^\w.-]+/g, "_")}.${format}`;
}

/** The address of a link. */
export function readLinkPath(link: ReadLink, secret: string): string {
  return `/links/${link.id}/${secret}/${linkFileName(link)}`;
}
