// Signing in and out: the sessions of browsers, whose secret only a cookie holds.
import * as z from "zod";
import { Fault, refusal } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
import type { Session } from "../../engine/access/session.ts";
import { access_limits } from "../../model/access/limits.ts";
import { password_form } from "../../model/access/password.ts";
import { isSameSubject, sign_in_ways } from "../../model/access/session.ts";
import { covers, type Grant, reaches, scopes } from "../../model/access/token.ts";
import { fullName } from "../../model/access/user.ts";
import type { Param } from "../../model/data/param.ts";
import { parseForm } from "../../model/data/parse_form.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { isLocal, requireOwnPage, sessionCookie, sessionOf } from "../frame/client.ts";
import { session_path, toldByHome } from "../frame/home_caller.ts";
import { formBody, readData } from "../frame/json_body.ts";
import { type Route, route, type RouteContext } from "../frame/route.ts";
import type { Services } from "../frame/services.ts";

const own_path = "/platform/v1/sessions";
const admin_path = "/admin/v1/sessions";

/** Signing in and out, and the sessions that there are. */
export function sessionRoutes(services: Services): readonly Route[] {
  return [
    waysRoute(services),
    getRoute(services),
    postRoute(services),
    deleteRoute(services),
    passwordRoute(services),
    ...ownRoutes(services),
    ...adminRoutes(services),
  ];
}

type Asked = Pick<RouteContext<[]>, "request" | "address">;

/** Each looks at the cookie by itself: a token in a header is not a session. */
const open = {
  ...{ scope: null, project: null, params: [] },
  faults: ["unauthorized", "forbidden", "conflict", "too_many"],
} as const;

const ways_schema = z.strictObject({
  token: z.literal(true).describe("An access token."),
  password: z.boolean().describe("E-mail address and password."),
  oidc: z.strictObject({ name: z.string() }).nullable()
    .describe("A provider of OpenID Connect, at `/platform/v1/session/oidc`."),
  passkey: z.boolean().describe("A passkey."),
  demo: z.boolean().describe("The demo's user, without a secret, for this very browser."),
});

function waysRoute({ settings, sign_in }: Services): Route {
  return route({
    ...open,
    name: "session_ways",
    method: "GET",
    path: `${session_path}/ways`,
    summary: "Ways to sign in",
    doc: "How a browser can sign in here: /docs/signin.",
    answer: { kind: "json", schema: () => z.toJSONSchema(ways_schema) },
    handle: ({ request, address }) => {
      const { oidc_issuer, oidc_name } = settings;
      const ways: z.input<typeof ways_schema> = {
        token: true,
        password: true,
        oidc: oidc_issuer === "none" ? null : { name: oidc_name },
        passkey: false,
        demo: sign_in.demo_user_id !== undefined && isLocal(request, address),
      };
      return Response.json(ways);
    },
  });
}

const user_schema = z.strictObject({ id: z.string(), name: z.string(), email: z.string() });
const instant = z.string().describe("ISO 8601, UTC.");

const session_schema = z.strictObject({
  user: user_schema.nullable().describe("Who acts; null in the session of a program's token."),
  name: z.string().describe("The user's, or the token's."),
  via: z.enum(sign_in_ways).describe("How it began."),
  scopes: z.array(z.enum(scopes)),
  organization: z.strictObject({ id: z.string(), key: z.string(), name: z.string() }).nullable()
    .describe("Null: all of them."),
  projects: z.array(
    z.strictObject({
      id: z.string(),
      key: z.string(),
      name: z.string(),
      timezone: z.string(),
    }),
  ).describe("All projects that the session reaches."),
  expires_at: instant.describe("When it ends if it is not used again: ISO 8601, UTC."),
  demo: z.boolean().describe("Whether the service is the demo."),
}).meta({ title: "OwnSession" });

/** For pages, which ask before anybody is signed in: a refusal would be an error of theirs. */
const optional_param = {
  ...{ name: "optional", in: "query", kind: "flag", required: false },
  default: false,
  doc: "true: without a session the answer is `null`, and not 401.",
} as const satisfies Param;

const session_answer = { kind: "json", schema: () => z.toJSONSchema(session_schema) } as const;

function getRoute(services: Services): Route {
  return route({
    ...open,
    name: "session",
    method: "GET",
    path: session_path,
    summary: "Who is signed in",
    doc: "The session of the browser that asks, with what it can reach. 401 without a session, " +
      "unless `optional` says otherwise.",
    params: [optional_param],
    answer: { kind: "json", schema: () => z.toJSONSchema(session_schema.nullable()) },
    handle: ({ request, values: { optional } }) => {
      const told = toldByHome(services, request);
      if (told !== undefined) return Response.json(told);
      const session = optional ? sessionOf(services, request) : requireSession(services, request);
      return Response.json(session ? shownSession(services, session) : null);
    },
  });
}

const sign_in_schema = z.union([
  z.strictObject({ token: z.string().max(limits.name_length) }),
  z.strictObject({ link: z.string().max(limits.name_length) }),
  z.strictObject({
    email: z.string().max(access_limits.email_length),
    password: z.string().max(access_limits.password_length_max),
    organization: z.string().max(limits.name_length).optional()
      .describe("By id or key, where several have this address."),
  }),
  z.strictObject({ demo: z.literal(true) }),
]);

function postRoute(services: Services): Route {
  return route({
    ...open,
    name: "session_post",
    method: "POST",
    path: session_path,
    summary: "Sign in",
    doc: "Begins a session, whose secret is in a cookie that no script sees: /docs/signin. A " +
      "session that the browser had before ends.",
    body: bodyOf(sign_in_schema, "A token, the code of a link, or e-mail address and password."),
    answer: { ...session_answer, status: 201 },
    handle: (asked) => signIn(services, asked),
  });
}

async function signIn(services: Services, { request, address }: Asked): Promise<Response> {
  const { headers } = request;
  const isBrowser = headers.has("sec-fetch-site") || headers.has("origin");
  if (isBrowser) requireOwnPage(services, request);
  const before = sessionOf(services, request);
  const parsed = sign_in_schema.safeParse(await readData(request));
  if (!parsed.success) {
    // Which part is wrong, and what was sent, could be a secret's.
    throw new Fault("invalid", "send one of token, link, email with password, or demo");
  }
  const { secret, session } = await begin(services, { ...parsed, request, address });
  if (before) await services.sign_in.sessions.end([before.id]);
  return Response.json(shownSession(services, session), {
    status: 201,
    headers: { "set-cookie": sessionCookie(services, secret) },
  });
}

function begin(
  { sign_in, catalog }: Services,
  { data, request, address }: Asked & { readonly data: z.output<typeof sign_in_schema> },
) {
  const from = { address };
  if ("token" in data) return sign_in.withToken(data.token, from);
  if ("link" in data) return sign_in.withLink(data.link, from);
  if ("email" in data) {
    const { organization: word, ...login } = data;
    const known = catalog.organizations.find(({ id, key }) => id === word || key === word);
    const organization_id = word === undefined ? undefined : known?.id ?? "";
    return sign_in.withPassword({ ...login, organization_id }, from);
  }
  if (isLocal(request, address)) return sign_in.asDemo(from);
  throw new Fault("forbidden", "the demo signs in only a browser of this machine");
}

const ended_schema = z.strictObject({ signed_out: z.boolean().describe("False: nobody was.") });

function deleteRoute(services: Services): Route {
  return route({
    ...open,
    name: "session_delete",
    method: "DELETE",
    path: session_path,
    summary: "Sign out",
    doc: "Ends the session of the browser that asks, if it has one.",
    answer: { kind: "json", schema: () => z.toJSONSchema(ended_schema) },
    handle: async ({ request }) => {
      const session = sessionOf(services, request);
      if (session) await services.sign_in.sessions.end([session.id]);
      return Response.json({ signed_out: session !== undefined }, {
        headers: { "set-cookie": sessionCookie(services, undefined) },
      });
    },
  });
}

const password_schema = z.strictObject({
  password: password_form.describe("The new password."),
  current: z.string().max(access_limits.password_length_max).optional()
    .describe("The password until now; not needed in a session that began with a link."),
});

function passwordRoute(services: Services): Route {
  return route({
    ...open,
    name: "session_password",
    method: "PUT",
    path: `${session_path}/password`,
    summary: "Set the own password",
    doc: "Gives the session's user a password, and ends the user's other sessions.",
    body: bodyOf(password_schema, "The new password, and the one until now."),
    answer: session_answer,
    handle: async ({ request }) => {
      const session = requireSession(services, request);
      const refuse = (flaws: Fault["flaws"]) => refusal("the password is wrong", flaws);
      const data = parseForm(password_schema, await readData(request), { refuse });
      await services.sign_in.setPassword(session, data);
      return Response.json(shownSession(services, session));
    },
  });
}

const info_schema = z.strictObject({
  id: z.string(),
  user: user_schema.nullable().describe("Who acts; null in the session of a program's token."),
  token_id: z.string().nullable().describe("Null in the session of a user."),
  name: z.string().describe("The user's, or the token's."),
  via: z.enum(sign_in_ways).describe("How it began."),
  created_at: instant,
  last_used_at: instant,
  expires_at: instant.describe("When it ends if it is not used again: ISO 8601, UTC."),
  address: z.string().nullable().describe("Where it began, if that is known."),
  own: z.boolean().describe("Whether it is the session that asks."),
}).meta({ title: "Session" });

const infos_schema = z.strictObject({ sessions: z.array(info_schema) });
const id_param = {
  name: "id",
  in: "path",
  kind: "text",
  required: true,
  doc: "The session's id.",
} as const;

const listing = {
  method: "GET",
  project: null,
  params: [],
  answer: { kind: "json", schema: () => z.toJSONSchema(infos_schema) },
} as const;

const ending = {
  method: "DELETE",
  project: null,
  params: [id_param],
  answer: { kind: "json", schema: () => z.toJSONSchema(info_schema) },
} as const;

function ownRoutes(services: Services): readonly Route[] {
  const isOwn = (request: Request) => {
    const session = requireSession(services, request);
    return (other: Session) => isSameSubject(session, other);
  };
  return [
    route({
      ...listing,
      name: "own_sessions",
      path: own_path,
      scope: null,
      summary: "Own sessions",
      doc: "All sessions of the user, or of the token, that is signed in, the oldest first.",
      handle: ({ request }) => listSessions(services, { request, isSeen: isOwn(request) }),
    }),
    route({
      ...ending,
      name: "own_session_delete",
      path: `${own_path}/{id}`,
      scope: null,
      summary: "End an own session",
      doc: "Signs the user out in another browser.",
      handle: ({ request, values: { id } }) =>
        endSession(services, { request, isSeen: isOwn(request), id }),
    }),
  ];
}

function adminRoutes(services: Services): readonly Route[] {
  const isSeen = (grant: Grant) => (session: Session) => covers(grant, session.grant);
  return [
    route({
      ...listing,
      name: "sessions",
      path: admin_path,
      scope: "admin",
      summary: "Sessions",
      doc: "All sessions of what the token can access completely, the oldest first. Names and " +
        "addresses are personal data. After a crash the time of last use can be a minute old.",
      handle: ({ request, grant }) => listSessions(services, { request, isSeen: isSeen(grant!) }),
    }),
    route({
      ...ending,
      name: "session_end",
      path: `${admin_path}/{id}`,
      scope: "admin",
      summary: "End a session",
      doc: "Signs the browser out at once; streams that it has open end.",
      handle: ({ request, grant, values: { id } }) =>
        endSession(services, { request, isSeen: isSeen(grant!), id }),
    }),
  ];
}

type Seeing = {
  readonly request: Request;
  readonly isSeen: (session: Session) => boolean;
};

function listSessions(services: Services, { request, isSeen }: Seeing): Response {
  const seen = services.sign_in.sessions.list().filter(isSeen);
  const own_id = sessionOf(services, request)?.id;
  return Response.json({ sessions: seen.map((it) => shownInfo(services, it, { own_id })) });
}

async function endSession(
  services: Services,
  { id, request, isSeen }: Seeing & { readonly id: string },
): Promise<Response> {
  const { sessions } = services.sign_in;
  const found = sessions.list().find((session) => session.id === id && isSeen(session));
  if (found === undefined) throw new Fault("not_found", "there is no such session");
  const own_id = sessionOf(services, request)?.id;
  const info = shownInfo(services, found, { own_id });
  await sessions.end([id]);
  return Response.json(info);
}

function requireSession(services: Services, request: Request): Session {
  const session = sessionOf(services, request);
  if (session) return session;
  throw new Fault("unauthorized", "sign in first: the session is over, or there was none");
}

function shownSession(
  services: Services,
  session: Session,
): z.input<typeof session_schema> {
  const { catalog, sign_in } = services;
  const { grant, via, expires_at } = session;
  const own = catalog.organizations.find(({ id }) => id === grant.organization_id);
  return {
    user: shownUser(services, session),
    name: grant.name,
    via,
    scopes: [...grant.scopes],
    organization: own ? { id: own.id, key: own.key, name: own.name } : null,
    projects: catalog.projects.filter((project) => reaches(grant, project))
      .map(({ id, key, name, timezone }) => ({ id, key, name, timezone })),
    expires_at: instantText(expires_at),
    demo: sign_in.demo_user_id !== undefined,
  };
}

function shownInfo(
  services: Services,
  session: Session,
  { own_id }: { readonly own_id: string | undefined },
): z.input<typeof info_schema> {
  const { id, token_id, via, created_at, last_used_at, expires_at, address, grant } = session;
  return {
    ...{ id, user: shownUser(services, session), token_id, name: grant.name, via },
    created_at: instantText(created_at),
    last_used_at: instantText(last_used_at),
    expires_at: instantText(expires_at),
    address,
    own: id === own_id,
  };
}

function shownUser({ users }: Services, { grant }: Session) {
  const user = users.get(grant.user_id ?? "");
  return user ? { id: user.id, name: fullName(user), email: user.email } : null;
}

function bodyOf(form: z.ZodType, doc: string) {
  return formBody(form, { doc, limit_bytes: access_limits.session_body_bytes });
}
