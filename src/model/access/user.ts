// People who act on alarms: how they are declared and kept. Their names and addresses are personal.
import type { PlainRow } from "../data/row.ts";
import { z } from "zod";
import { type Fault, type Flaw, refusal } from "../../base/fault.ts";
import { access_limits } from "./limits.ts";
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
} as const;

/** A user of an organization; instants are microseconds since 1970 UTC. */
export type User = PlainRow<typeof user_table>;

const person = {
  email: textUpTo(access_limits.email_length).regex(
    /^[^\s@"<>,;:]+@[^\s@"<>,;:]+\.[^\s@"<>,;:]+$/,
    {
      error: "give an e-mail address, such as anna@example.org",
    },
  ).describe("E-mail address, unique in the organization; upper and lower case are the same."),
  first_name: name_form.describe("First name."),
  last_name: name_form.describe("Last name."),
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

/** Two addresses are one where their keys are. */
export function emailKey(email: string): string {
  return email.normalize("NFC").toLowerCase();
}

/** The refusal of a user for its flaws. */
export function userRefusal(flaws: readonly Flaw[]): Fault {
  return refusal("the user is wrong", flaws);
}
