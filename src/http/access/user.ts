// Users under /admin/v1/users: who may act on alarms, with their names and addresses.
import { z } from "zod";
import { limits } from "../../base/limits.ts";
import { type User, user_change_schema, user_schema } from "../../model/access/user.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { readData } from "../frame/json_body.ts";
import { type Route, route } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

const path = "/admin/v1/users";

/** Listing, making, changing and disabling users, by tokens that reach their organization whole. */
export function userRoutes({ users }: Services): readonly Route[] {
  return [listRoute(users), postRoute(users), putRoute(users), deleteRoute(users)];
}

type Known = Services["users"];

function listRoute(users: Known): Route {
  return route({
    ...common,
    name: "users",
    method: "GET",
    path,
    summary: "Users",
    doc: "All users of the organizations that the token can access completely, also disabled " +
      "ones, the oldest first. Names and addresses are personal data.",
    params: [],
    answer: { kind: "json", schema: z.toJSONSchema(list_schema) },
    handle: ({ grant }) => Response.json({ users: users.list({ grant: grant! }).map(shown) }),
  });
}

function postRoute(users: Known): Route {
  return route({
    ...common,
    name: "user_post",
    method: "POST",
    path,
    summary: "Make a user",
    doc: "A person who acts on alarms of an organization, with an own token or named by another " +
      "token.",
    params: [],
    body: bodyOf(user_schema, "The new user."),
    answer: { kind: "json", status: 201, schema: z.toJSONSchema(shown_schema) },
    handle: async ({ request, grant }) => {
      const user = await users.create(await readData(request), { grant: grant! });
      return Response.json(shown(user), { status: 201 });
    },
  });
}

function putRoute(users: Known): Route {
  return route({
    ...common,
    name: "user_put",
    method: "PUT",
    path: `${path}/{id}`,
    summary: "Change a user",
    doc: "Replaces the fields of the user with the body. Past actions stay linked to the user.",
    params: [id_param],
    body: bodyOf(user_change_schema, "The complete new state."),
    answer: { kind: "json", schema: z.toJSONSchema(shown_schema) },
    handle: async ({ request, values, grant }) => {
      const data = await readData(request);
      return Response.json(shown(await users.change(values.id, data, { grant: grant! })));
    },
  });
}

function deleteRoute(users: Known): Route {
  return route({
    ...common,
    name: "user_delete",
    method: "DELETE",
    path: `${path}/{id}`,
    summary: "Disable a user",
    doc: "The user and the user's tokens can no longer act. Past actions stay linked to the " +
      "user. A repeat changes nothing and gets the same answer.",
    params: [id_param],
    answer: { kind: "json", schema: z.toJSONSchema(shown_schema) },
    handle: async ({ values, grant }) =>
      Response.json(shown(await users.disable(values.id, { grant: grant! }))),
  });
}

const common = { scope: "manage", project: null } as const;

const id_param = {
  name: "id",
  in: "path",
  kind: "text",
  required: true,
  doc: "The user's id.",
} as const;

const shown_schema = z.strictObject({
  id: z.string(),
  organization_id: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  created_at: z.string().describe("ISO 8601, UTC."),
  disabled_at: z.string().nullable().describe("ISO 8601, UTC; null if the user can act."),
});

const list_schema = z.strictObject({ users: z.array(shown_schema) });

function bodyOf(schema: z.ZodType, doc: string) {
  return {
    media_types: ["application/json"],
    limit_bytes: limits.user_body_bytes,
    doc,
    schema: z.toJSONSchema(schema, { io: "input" }),
  };
}

function shown({ created_at, disabled_at, ...user }: User): z.input<typeof shown_schema> {
  const { id, organization_id, email, first_name, last_name } = user;
  return {
    id,
    organization_id,
    email,
    first_name,
    last_name,
    created_at: instantText(created_at),
    disabled_at: disabled_at === null ? null : instantText(disabled_at),
  };
}
