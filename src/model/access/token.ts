// Access tokens: what one may do, and where, and the text that makes one.
import { assert } from "../../base/assert.ts";

/** What a token may do; each route states the one it needs. `admin` implies every other. */
export const scopes = ["read", "ingest", "operate", "manage", "sync", "query", "admin"] as const;
export type Scope = typeof scopes[number];

/** What a verified token allows. */
export type Grant = {
  /** Whose share of the service it takes: the token, or the user who is signed in. */
  readonly token_id: string;
  readonly name: string;
  /** Null for the installation's own administrator: every organization. */
  readonly organization_id: string | null;
  /** Null for every project of the organization. */
  readonly project_ids: readonly string[] | null;
  readonly scopes: readonly Scope[];
  /** The user who acts with it; null for a machine's. */
  readonly user_id: string | null;
};

/** Whether the grant holds `scope`. */
export function allows(grant: Grant, scope: Scope): boolean {
  return grant.scopes.includes(scope) || grant.scopes.includes("admin");
}

/** Whether the grant reaches a project of an organization. */
export function reaches(
  grant: Grant,
  project: { readonly id: string; readonly organization_id: string },
): boolean {
  return (grant.organization_id === null || grant.organization_id === project.organization_id) &&
    (grant.project_ids === null || grant.project_ids.includes(project.id));
}

/** Whether the grant reaches everything that another one does. */
export function covers(
  grant: Grant,
  other: Pick<Grant, "organization_id" | "project_ids">,
): boolean {
  const { organization_id, project_ids } = grant;
  if (organization_id !== null && organization_id !== other.organization_id) return false;
  if (project_ids === null) return true;
  return other.project_ids?.every((id) => project_ids.includes(id)) ?? false;
}

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Bytes of chance in a token. */
export const token_bytes = 32;

/** 62^43 is the least power of 62 above 2^256: every token has 43 digits. */
const token_digits = 43;

/** Whether a text has the form of a token. */
export function isTokenForm(text: string): boolean {
  return /^wk_[0-9A-Za-z]+$/.test(text) && text.length === "wk_".length + token_digits;
}

/** The token's text that 32 random bytes make; no two byte strings make the same. */
export function tokenText(bytes: Uint8Array): string {
  assert(bytes.length === token_bytes, "a token of another length");
  let number = bytes.reduce((sum, byte) => sum << 8n | BigInt(byte), 0n);
  let text = "";
  for (let i = 0; i < token_digits; i++) {
    text = digits[Number(number % 62n)] + text;
    number /= 62n;
  }
  return `wk_${text}`;
}
