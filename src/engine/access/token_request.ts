// Checks what a new token is to allow: names resolved, and nothing beyond what its maker may do.
import * as z from "zod";
import { Fault, type Flaw, refusal } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import { parseForm } from "../../model/data/parse_form.ts";
import { name_form } from "../../model/data/text_form.ts";
import { type Grant, scopes } from "../../model/access/token.ts";
import { instantFlaw, instantOf } from "../../wire/bytes/instant.ts";
import type { TokenRequest } from "./access.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { requireReach, resolveReach } from "./reach_request.ts";
import type { Users } from "./user.ts";

/** The form of a request for a token; organization and projects by their id or their key. */
export const token_schema = z.strictObject({
  name: name_form.describe("What it is for."),
  scopes: z.array(z.enum(scopes)).min(1).max(scopes.length).describe("What it may do."),
  organization: name_form.optional().describe("Organization that the token is limited to."),
  projects: z.array(name_form).min(1).max(limits.repeated_values).optional()
    .describe("Projects of one organization that the token is limited to."),
  user: name_form.optional()
    .describe(
      "User of the token, by id or e-mail. The token stops working when the user is disabled.",
    ),
  expires_at: z.string().optional().describe("When it ends: an ISO 8601 instant with an offset."),
});

/** Whom a token is made for: `grant` is its maker's, absent for the operator of the machine. */
type TokenMaker = {
  readonly catalog: Catalog;
  readonly users: Pick<Users, "named">;
  readonly now_us: number;
  readonly grant?: Grant;
};

/**
 * A request in plain data as what is to be stored. Throws a `Fault`: invalid with every flaw, or
 * forbidden when it would reach further than its maker.
 */
export function checkTokenRequest(data: unknown, maker: TokenMaker): TokenRequest {
  const { name, scopes, organization, projects, user, expires_at } = parseForm(
    token_schema,
    data,
    { refuse: wrongRequest },
  );
  const asker = { ...maker, refuse: { invalid: wrongRequest, forbidden } };
  const reach = resolveReach({ organization, projects }, asker);
  const place = user === undefined ? reach : resolveUser(user, { reach, maker });
  requireReach(place, asker);
  const ends = expires_at === undefined ? null : instantOf(expires_at);
  if (ends !== null && !(ends > maker.now_us)) {
    const message = Number.isNaN(ends)
      ? instantFlaw(expires_at!)
      : `give an instant in the future, not ${expires_at}`;
    throw wrongRequest([{ path: "expires_at", message }]);
  }
  return { name, scopes: [...new Set(scopes)], ...place, expires_at: ends };
}

type Place = Pick<TokenRequest, "organization_id" | "project_ids" | "user_id">;

/** A user acts in the own organization only, so that the token reaches no other. */
function resolveUser(
  word: string,
  { reach, maker }: { readonly reach: Place; readonly maker: TokenMaker },
): Place {
  const organization_id = reach.organization_id;
  const found = maker.users.named(word).filter((user) =>
    organization_id === null || user.organization_id === organization_id
  );
  if (found.length === 1) {
    return { ...reach, organization_id: found[0].organization_id, user_id: found[0].id };
  }
  const message = found.length === 0
    ? "is no user who can act in the organization; `wattkeeper user list` shows them"
    : "say of which organization";
  throw wrongRequest([{ path: "user", message }]);
}

function forbidden(): Fault {
  return new Fault("forbidden", "a token can't reach further than the one that makes it");
}

function wrongRequest(flaws: readonly Flaw[]): Fault {
  return refusal("the request for a token is wrong", flaws);
}

/** What is said of an id that no token has; never a token's text, which people take for it. */
export function noToken(id: string): string {
  const list = "`wattkeeper token list` shows the ids";
  if (id.startsWith("wk_")) return `give the token's id, not its text; ${list}`;
  return `there is no token ${JSON.stringify(id.slice(0, limits.name_length))}; ${list}`;
}
