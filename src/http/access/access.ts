// Who may act, under /admin/v1: tokens, whose text is shown once, and users with their addresses.
import * as z from "zod";
import { Fault } from "../../base/fault.ts";
import { access_limits } from "../../model/access/limits.ts";
import type { TokenInfo } from "../../engine/access/access.ts";
import { checkTokenRequest, noToken, token_schema } from "../../engine/access/token_request.ts";
import { covers, type Grant, scopes } from "../../model/access/token.ts";
import { type User, user_change_schema, user_schema } from "../../model/access/user.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { linkUrl } from "../../model/access/session.ts";
import { ownOrigin } from "../frame/client.ts";
import { formBody, readData } from "../frame/json_body.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

const users_path = "/admin/v1/users";

/** Making, listing and revoking tokens; each within what the asking token itself reaches. */
export function tokenRoutes(services: Services): readonly Route[] {
  return [
    route({
      name: "tokens",
      method: "GET",
      path: "/admin/v1/tokens",
      summary: "Tokens",
      doc: "All tokens that the calling token can manage, also revoked ones, the oldest first. " +
        "After a crash the time of last use can be up to a minute old.",
      scope: "admin",
      project: null,
      params: [],
      answer: { kind: "json", schema: () => z.toJSONSchema(tokens_schema) },
      handle: ({ grant }) => Response.json(listTokens(services, grant!)),
    }),
    route({
      name: "token_post",
      method: "POST",
      path: "/admin/v1/tokens",
      summary: "Make a token",
      doc: "The token's text is shown only in this answer. Without an organization or projects " +
        "the new token can access the same as the calling token.",
      scope: "admin",
      project: null,
      params: [],
      body: {
        media_types: ["application/json"],
        limit_bytes: access_limits.token_body_bytes,
        doc: "What the token allows; organization and projects by id or key.",
        schema: () => z.toJSONSchema(token_schema),
      },
      answer: { kind: "json", status: 201, schema: () => z.toJSONSchema(made_schema) },
      handle: ({ request, grant }) => makeToken(services, { request, grant: grant! }),
    }),
    route({
      name: "token_delete",
      method: "DELETE",
      path: "/admin/v1/tokens/{id}",
      summary: "Revoke a token",
      doc: "The token stops working at once. A repeat changes nothing and gets the same answer.",
      scope: "admin",
      project: null,
      params: [{ name: "id", in: "path", kind: "text", required: true, doc: "The token's id." }],
      answer: { kind: "json", schema: () => z.toJSONSchema(token_info_schema) },
      handle: ({ values, grant }) => revokeToken(services, { id: values.id, grant: grant! }),
    }),
  ];
}

type Users = Services["users"];

/** Listing, making, changing and disabling users, by tokens that reach their organization whole. */
export function userRoutes(services: Services): readonly Route[] {
  const { users } = services;
  return [
    ...[listUsers(users), postUser(users), putUser(users), deleteUser(users)],
    postLink(services),
  ];
}

function listUsers(users: Users): Route {
  return route({
    ...managing,
    name: "users",
    method: "GET",
    path: users_path,
    summary: "Users",
    doc: "All users of the organizations that the token can access completely, also disabled " +
      "ones, the oldest first. Names and addresses are personal data.",
    params: [],
    answer: { kind: "json", schema: () => z.toJSONSchema(users_schema) },
    handle: ({ grant }) => Response.json({ users: users.list({ grant: grant! }).map(shownUser) }),
  });
}

function postUser(users: Users): Route {
  return route({
    ...managing,
    name: "user_post",
    method: "POST",
    path: users_path,
    summary: "Make a user",
    doc: "A person who acts on alarms of an organization: signed in with the scopes given here, " +
      "with an own token, or named by another token. Nobody can give scopes that the token lacks.",
    params: [],
    body: bodyOf(user_schema, "The new user."),
    answer: { kind: "json", status: 201, schema: () => z.toJSONSchema(user_info_schema) },
    handle: async ({ request, grant }) => {
      const user = await users.create(await readData(request), { grant: grant! });
      return Response.json(shownUser(user), { status: 201 });
    },
  });
}

function putUser(users: Users): Route {
  return route({
    ...managing,
    name: "user_put",
    method: "PUT",
    path: `${users_path}/{id}`,
    summary: "Change a user",
    doc: "Replaces the fields of the user with the body. Past actions stay linked to the user.",
    params: [id_param],
    body: bodyOf(user_change_schema, "The complete new state."),
    answer: { kind: "json", schema: () => z.toJSONSchema(user_info_schema) },
    handle: async ({ request, values, grant }) => {
      const data = await readData(request);
      return Response.json(shownUser(await users.change(values.id, data, { grant: grant! })));
    },
  });
}

function deleteUser(users: Users): Route {
  return route({
    ...managing,
    name: "user_delete",
    method: "DELETE",
    path: `${users_path}/{id}`,
    summary: "Disable a user",
    doc: "The user and the user's tokens can no longer act. Past actions stay linked to the " +
      "user. A repeat changes nothing and gets the same answer.",
    params: [id_param],
    answer: { kind: "json", schema: () => z.toJSONSchema(user_info_schema) },
    handle: async ({ values, grant }) =>
      Response.json(shownUser(await users.disable(values.id, { grant: grant! }))),
  });
}

const link_schema = z.strictObject({
  url: z.string().describe("Address to open in the browser that is to be signed in."),
  expires_at: z.string().describe("ISO 8601, UTC."),
});

function postLink(services: Services): Route {
  const { users, sign_in } = services;
  return route({
    name: "user_link_post",
    method: "POST",
    path: `${users_path}/{id}/link`,
    summary: "Make a link that signs a user in",
    doc: "The link works once, and for a short time: /docs/signin. An earlier link of the user " +
      "stops working. The user needs scopes.",
    scope: "admin",
    project: null,
    params: [id_param],
    answer: { kind: "json", status: 201, schema: () => z.toJSONSchema(link_schema) },
    handle: async ({ request, values, grant }) => {
      const user = users.reached(values.id, { grant: grant! });
      const { code, expires_at } = await sign_in.makeUserLink(user);
      const url = linkUrl(ownOrigin(services, request), code);
      const made: z.input<typeof link_schema> = { url, expires_at: instantText(expires_at) };
      return Response.json(made, { status: 201 });
    },
  });
}

const instant = z.string().describe("ISO 8601, UTC.");

const token_info_schema = z.strictObject({
  token_id: z.string(),
  name: z.string(),
  organization_id: z.string().nullable().describe("Null: every organization."),
  project_ids: z.array(z.string()).nullable().describe("Null: every project of it."),
  scopes: z.array(z.enum(scopes)),
  user_id: z.string().nullable().describe("User of the token; null for the token of a program."),
  created_at: instant,
  expires_at: instant.nullable(),
  revoked_at: instant.nullable(),
  last_used_at: instant.nullable(),
}).meta({ title: "Token" });

const tokens_schema = z.strictObject({ tokens: z.array(token_info_schema) });

const made_schema = z.strictObject({ token_id: z.string(), token: z.string() });

function listTokens({ access }: Services, grant: Grant): z.input<typeof tokens_schema> {
  return { tokens: access.list().filter((info) => covers(grant, info)).map(shownToken) };
}

async function makeToken(
  { access, catalog, users, effects }: Services,
  { request, grant }: { readonly request: Request; readonly grant: Grant },
): Promise<Response> {
  const data = await readData(request);
  const wanted = checkTokenRequest(data, { catalog, users, grant, now_us: effects.now_us() });
  const { id, token } = await access.create(wanted);
  const made: z.input<typeof made_schema> = { token_id: id, token };
  return Response.json(made, { status: 201, headers: { "cache-control": "no-store" } });
}

async function revokeToken(
  { access }: Services,
  { id, grant }: { readonly id: string; readonly grant: Grant },
): Promise<Response> {
  const known = access.list().find((info) => info.id === id);
  const revoked = known && covers(grant, known) ? await access.revoke(id) : undefined;
  if (revoked === undefined) throw new Fault("not_found", noToken(id));
  return Response.json(shownToken(revoked));
}

function shownToken({ id, ...info }: TokenInfo): z.input<typeof token_info_schema> {
  const text = (us: number | null) => us === null ? null : instantText(us);
  return {
    token_id: id,
    name: info.name,
    organization_id: info.organization_id,
    project_ids: info.project_ids && [...info.project_ids],
    scopes: [...info.scopes],
    user_id: info.user_id,
    created_at: instantText(info.created_at),
    expires_at: text(info.expires_at),
    revoked_at: text(info.revoked_at),
    last_used_at: text(info.last_used_at),
  };
}

const managing = { scope: "manage", project: null } as const;

const id_param = {
  name: "id",
  in: "path",
  kind: "text",
  required: true,
  names: "user",
  doc: "The user, by id or e-mail.",
} as const;

const user_info_schema = z.strictObject({
  id: z.string(),
  organization_id: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  created_at: z.string().describe("ISO 8601, UTC."),
  disabled_at: z.string().nullable().describe("ISO 8601, UTC; null if the user can act."),
  scopes: z.array(z.enum(scopes)).describe("Rights of the user when signed in."),
  project_ids: z.array(z.string()).nullable().describe("Null: every project of it."),
}).meta({ title: "Account" });

const users_schema = z.strictObject({ users: z.array(user_info_schema) });

function bodyOf(form: z.ZodType, doc: string) {
  return formBody(form, { doc, limit_bytes: access_limits.user_body_bytes });
}

function shownUser({ created_at, disabled_at, ...user }: User): z.input<typeof user_info_schema> {
  const { id, organization_id, email, first_name, last_name } = user;
  return {
    id,
    organization_id,
    email,
    first_name,
    last_name,
    created_at: instantText(created_at),
    disabled_at: disabled_at === null ? null : instantText(disabled_at),
    scopes: [...user.scopes],
    project_ids: user.project_ids && [...user.project_ids],
  };
}
