// People who act and sign in: how they are declared and kept. Names and addresses are personal.
import type { PlainRow } from "../data/row.ts";
import * as z from "zod";
import { type Fault, type Flaw, refusal } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { access_limits } from "./limits.ts";
import { type Scope, scopes } from "./token.ts";
import { parseForm } from "../data/parse_form.ts";
import { name_form, textUpTo } from "../data/text_form.ts";

/** A user of an organization; instants are microseconds since 1970 UTC. */
export const user_table = {
  id: "text",
  organization_id: "text",
  /** Unique in the organization, whatever the case of its letters. */
  email: "text",
  first_name: "text",
  last_name: "text",
  created_at: "instant",
  /** Since when the user can't act; null for one who can. */
  disabled_at: "instant?",
  /** What the user may do when signed in, each a `Scope`; without any, the user can't sign in. */
  scopes: "text[]",
  /** Null for every project of the organization. */
  project_ids: "text[]?",
} as const;

/** A user of an organization; instants are microseconds since 1970 UTC. */
export type User = Omit<PlainRow<typeof user_table>, "scopes"> & {
  readonly scopes: readonly Scope[];
};

const person = {
  email: textUpTo(access_limits.email_length).regex(
    /^[^\s@"<>,;:]+@[^\s@"<>,;:]+\.[^\s@"<>,;:]+$/,
    {
      error: "give an e-mail address, such as anna@example.org",
    },
  ).describe("E-mail address, unique in the organization; upper and lower case are the same."),
  first_name: name_form.describe("First name."),
  last_name: name_form.describe("Last name."),
  scopes: z.array(z.enum(scopes)).max(scopes.length).default([])
    .describe("What the user may do when signed in; without any, the user can't sign in."),
  projects: z.array(name_form).min(1).max(limits.repeated_values).optional()
    .describe("Projects that the user is limited to, by id or key; left out: all of them."),
};

/** The form of a new user. */
export const user_schema = z.strictObject({
  ...person,
  organization: name_form.optional()
    .describe("Organization, by id or key; by default the token's own."),
});

/** The form of a user who is changed: what is said is all that holds afterwards. */
export const user_change_schema = z.strictObject({
  ...person,
  disabled: z.boolean().default(false).describe("Whether the user can no longer act."),
});

/** What a user is changed to. */
type UserChange = z.output<typeof user_change_schema>;

/** A new user in plain data. Throws a `Fault` (invalid) with every flaw. */
export function parseUser(data: unknown): z.output<typeof user_schema> {
  return parseForm(user_schema, data, { refuse: userRefusal });
}

/** A user's change in plain data. Throws a `Fault` (invalid) with every flaw. */
export function parseUserChange(data: unknown): UserChange {
  return parseForm(user_change_schema, data, { refuse: userRefusal });
}

/** Whether `word` names the user: an id, or an e-mail address whatever the case of its letters. */
export function isNamed({ id, email }: User, word: string): boolean {
  return id === word || emailKey(email) === emailKey(word);
}

/** Whether the user can sign in. */
export function canSignIn({ disabled_at, scopes }: Pick<User, "disabled_at" | "scopes">): boolean {
  return disabled_at === null && scopes.length > 0;
}

/** The user's first and last name. */
export function fullName({ first_name, last_name }: User): string {
  return `${first_name} ${last_name}`;
}

/** Two addresses are one where their keys are. */
export function emailKey(email: string): string {
  return email.normalize("NFC").toLowerCase();
}

/** The refusal of a user for its flaws. */
export function userRefusal(flaws: readonly Flaw[]): Fault {
  return refusal("the user is wrong", flaws);
}
