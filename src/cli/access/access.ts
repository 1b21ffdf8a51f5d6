// `token`, `user` and `session`: access tokens, who may act, and which browsers are signed in.
import type { Command } from "commander";
import { Fault } from "../../base/fault.ts";
import { Access, type TokenInfo } from "../../engine/access/access.ts";
import { checkTokenRequest, noToken } from "../../engine/access/token_request.ts";
import { SignIn } from "../../engine/access/sign_in.ts";
import { Users } from "../../engine/access/user.ts";
import { scopes } from "../../model/access/token.ts";
import { browserOrigin, linkUrl, listenAddress } from "../../model/access/session.ts";
import { isNamed, type User } from "../../model/access/user.ts";
import { instantOf, instantText } from "../../wire/bytes/instant.ts";
import { type Ask, type Context, hereOrThere, type Offline, outList } from "../frame/context.ts";
import { type RemoteFlags, withRemote } from "../frame/remote.ts";

type CreateOptions = RemoteFlags & {
  readonly name: string;
  readonly scope: readonly string[];
  readonly organization?: string;
  readonly project?: readonly string[];
  readonly user?: string;
  readonly expires?: string;
};

/** Words of a flag that is given again, or has several with spaces or commas between them. */
function words(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(",")];
}

const tokens_path = "/admin/v1/tokens";

/** Adds `token`. */
export function addTokenCommand(program: Command, context: Context): void {
  const { effects } = context;
  const token = program.command("token").description("make, list and revoke access tokens");
  withRemote(token.command("create"))
    .description("make a token and print its text; it is shown only once")
    .requiredOption("--name <text>", "what it is for")
    .requiredOption("--scope <scope...>", `what it may do: ${scopes.join(", ")}`, words)
    .option("--organization <key>", "limit it to an organization (key or id)")
    .option("--project <key...>", "limit it to projects of one organization (keys or ids)")
    .option("--user <id>", "the user who acts with it (id or e-mail)")
    .option("--expires <instant>", "when it ends, ISO 8601 with an offset")
    .action(async (options: CreateOptions) => {
      const { token_id, token } = await createToken(context, options);
      effects.err(`token ${token_id}; its text is shown only now:\n`);
      effects.out(`${token}\n`);
    });
  withRemote(token.command("list")).description("list all tokens, without their texts")
    .action(async (flags: RemoteFlags) => {
      const tokens = await hereOrThere<readonly TokenInfo[]>(context, flags, {
        here: async (parts) => (await openAccess(context, parts)).access.list(),
        there: async (ask) => {
          const { tokens } = await ask<{ tokens: TokenShown[] }>({ path: tokens_path });
          return tokens.map(tokenOf);
        },
      });
      const lines = tokens.map((info) => tokenLine(info, effects.now_us()));
      outList(effects, { lines, none: "no tokens yet" });
    });
  withRemote(token.command("revoke").argument("<id>", "the token's id")).description("end a token")
    .action(async (id: string, flags: RemoteFlags) => {
      await hereOrThere(context, flags, {
        here: async (parts) => {
          const { access } = await openAccess(context, parts);
          if (!await access.revoke(id)) throw new Fault("not_found", noToken(id));
        },
        there: (ask) => ask({ method: "DELETE", path: pathOf(tokens_path, id) }),
      });
      effects.out(`token ${id} is revoked\n`);
    });
}

type MadeToken = { readonly token_id: string; readonly token: string };

function createToken(
  context: Context,
  { name, scope, organization, project, user, expires, ...flags }: CreateOptions,
): Promise<MadeToken> {
  const body = {
    ...{ name, scopes: scope, organization, projects: project, user },
    expires_at: expires,
  };
  return hereOrThere<MadeToken>(context, flags, {
    makes: true,
    here: async (parts) => {
      const { access, users } = await openAccess(context, parts);
      const asker = { catalog: parts.catalog, users, now_us: context.effects.now_us() };
      const { id: token_id, token } = await access.create(checkTokenRequest(body, asker));
      return { token_id, token };
    },
    there: (ask) => ask({ path: tokens_path, body }),
  });
}

/** Whoever opens the tokens first gets the administrator's: it must be printed here, too. */
async function openAccess({ effects }: Context, { database, catalog }: Offline) {
  const access = await Access.open({ database, effects });
  if (access.first_token) {
    effects.err(`the administrator's token, shown only now: ${access.first_token}\n`);
  }
  return { access, users: await Users.open({ database, catalog, effects }) };
}

/** With the sessions too, which end with their users. */
async function openSignIn(context: Context, parts: Offline) {
  const { access, users } = await openAccess(context, parts);
  const { database } = parts;
  const sign_in = await SignIn.open({ database, access, users, effects: context.effects });
  return { sign_in, users };
}

const pathOf = (path: string, id: string) => `${path}/${encodeURIComponent(id)}`;

/** Something as a service shows it: its instants are texts. */
type Shown<Row, Instants extends keyof Row> =
  & Omit<Row, Instants>
  & { readonly [Name in Instants]: string | null };
type TokenInstants = "created_at" | "expires_at" | "revoked_at" | "last_used_at";
type TokenShown = Shown<TokenInfo, TokenInstants> & { readonly token_id: string };

function usOf(text: string | null): number | null {
  return text === null ? null : instantOf(text);
}

function tokenOf({ token_id: id, ...shown }: TokenShown): TokenInfo {
  return {
    ...shown,
    id,
    created_at: instantOf(shown.created_at ?? ""),
    expires_at: usOf(shown.expires_at),
    revoked_at: usOf(shown.revoked_at),
    last_used_at: usOf(shown.last_used_at),
  };
}

function tokenLine(info: TokenInfo, now_us: number): string {
  const { id, name, scopes, user_id, last_used_at } = info;
  const used = last_used_at === null ? "never used" : `used ${instantText(last_used_at)}`;
  const words = [id, name, scopes.join(","), reachOf(info), stateOf(info, now_us), used];
  return [...words, ...(user_id ? [`user ${user_id}`] : [])].join("  ") + "\n";
}

function reachOf({ organization_id, project_ids }: TokenInfo): string {
  if (project_ids) return `projects ${project_ids.join(",")}`;
  return organization_id ? `organization ${organization_id}` : "everything";
}

function stateOf({ expires_at, revoked_at }: TokenInfo, now_us: number): string {
  if (revoked_at !== null) return `revoked ${instantText(revoked_at)}`;
  if (expires_at === null) return "no expiry";
  return `${expires_at <= now_us ? "expired" : "expires"} ${instantText(expires_at)}`;
}

type AddOptions = RemoteFlags & {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly organization: string;
  readonly scope?: readonly string[];
  readonly project?: readonly string[];
};

const users_path = "/admin/v1/users";

/** Adds `user`. */
export function addUserCommand(program: Command, context: Context): void {
  const { effects } = context;
  const user = program.command("user").description(
    "manage the users who may act on alarms and work",
  );
  withRemote(user.command("add")).description("add a user and print the id")
    .requiredOption("--email <address>", "e-mail address, unique in the organization")
    .requiredOption("--first-name <text>", "first name")
    .requiredOption("--last-name <text>", "last name")
    .requiredOption("--organization <key>", "organization (key or id)")
    .option("--scope <scope...>", `let the user sign in, and do: ${scopes.join(", ")}`, words)
    .option("--project <key...>", "limit the user to projects of the organization (keys or ids)")
    .action(async (options: AddOptions) => {
      const { email, firstName, lastName, organization, scope, project, ...flags } = options;
      const person = { email, first_name: firstName, last_name: lastName };
      const body = { ...person, organization, scopes: scope, projects: project };
      const { id } = await hereOrThere<{ id: string }>(context, flags, {
        here: async (parts) => await (await openUsers(context, parts)).create(body),
        there: (ask) => ask({ path: users_path, body }),
      });
      effects.out(`${id}\n`);
    });
  addAllowCommand(user, context);
  addLinkCommand(user, context);
  withRemote(user.command("list")).description("list all users")
    .action(async (flags: RemoteFlags) => {
      const users = await hereOrThere<readonly User[]>(context, flags, {
        here: async (parts) => (await openUsers(context, parts)).list(),
        there: usersThere,
      });
      outList(effects, { lines: users.map(userLine), none: "no users yet" });
    });
  withRemote(user.command("disable").argument("<user>", user_doc))
    .description("disable a user and the user's tokens")
    .action(async (word: string, flags: RemoteFlags) => {
      const id = await hereOrThere(context, flags, {
        here: async (parts) => {
          const { users } = await openSignIn(context, parts);
          return (await users.disable(onlyUser(users.list(), { word }).id)).id;
        },
        there: async (ask) => {
          const { id } = onlyUser(await usersThere(ask), { word });
          await ask({ method: "DELETE", path: pathOf(users_path, id) });
          return id;
        },
      });
      effects.out(`user ${id} is disabled\n`);
    });
}

type AllowFlags = RemoteFlags & { readonly scope: string[]; readonly project?: string[] };

/** Adds `user allow`. */
function addAllowCommand(user: Command, context: Context): void {
  withRemote(user.command("allow").argument("<user>", user_doc))
    .description("change what a user may do when signed in; without --scope, nothing")
    .option("--scope <scope...>", `what the user may do: ${scopes.join(", ")}`, words, [])
    .option("--project <key...>", "limit the user to projects of the organization (keys or ids)")
    .action(async (word: string, { scope, project: projects, ...flags }: AllowFlags) => {
      const rights = { scopes: scope, projects };
      const allowed = await hereOrThere<User>(context, flags, {
        here: async (parts) => {
          const { users } = await openSignIn(context, parts);
          return await users.allow(onlyUser(users.list(), { word }).id, rights);
        },
        there: async (ask) => {
          const found = onlyUser(await usersThere(ask), { word });
          const { id, email, first_name, last_name, disabled_at } = found;
          const body = {
            ...{ email, first_name, last_name, disabled: disabled_at !== null },
            ...rights,
          };
          return userOf(await ask({ method: "PUT", path: pathOf(users_path, id), body }));
        },
      });
      context.effects.out(userLine(allowed));
    });
}

function openUsers({ effects }: Context, { database, catalog }: Offline): Promise<Users> {
  return Users.open({ database, catalog, effects });
}

async function usersThere(ask: Ask): Promise<readonly User[]> {
  const { users } = await ask<{ users: UserShown[] }>({ path: users_path });
  return users.map(userOf);
}

type UserShown = Shown<User, "created_at" | "disabled_at">;

function userOf(shown: UserShown): User {
  return {
    ...shown,
    created_at: instantOf(shown.created_at ?? ""),
    disabled_at: usOf(shown.disabled_at),
  };
}

type LinkFlags = RemoteFlags & { readonly organization?: string };

/** Adds `user link`. */
function addLinkCommand(user: Command, context: Context): void {
  const { effects } = context;
  withRemote(user.command("link").argument("<email>", "the user's e-mail address or id"))
    .description("print an address that signs the user in once, for a short time")
    .option("--organization <id>", "where users of several organizations have this address")
    .action(async (email: string, { organization, ...flags }: LinkFlags) => {
      const wanted = { word: email, organization };
      const url = await hereOrThere(context, flags, {
        here: (parts) => linkHere(context, wanted, parts),
        there: async (ask) => {
          const { id } = onlyUser(await usersThere(ask), wanted);
          const path = `${pathOf(users_path, id)}/link`;
          return (await ask<{ url: string }>({ method: "POST", path })).url;
        },
      });
      effects.out(`${url}\n`);
    });
}

type Wanted = { readonly word: string; readonly organization?: string };

const user_doc = "the user's e-mail address or id";

async function linkHere(context: Context, wanted: Wanted, parts: Offline): Promise<string> {
  const { settings } = parts;
  const { sign_in, users } = await openSignIn(context, parts);
  const { code } = await sign_in.makeUserLink(onlyUser(users.list(), wanted));
  return linkUrl(browserOrigin(settings, listenAddress(settings)), code);
}

/** The address is not repeated: what goes wrong may be logged. */
function onlyUser(users: readonly User[], { word, organization }: Wanted): User {
  const found = users.filter((user) =>
    isNamed(user, word) && (organization === undefined || user.organization_id === organization)
  );
  if (found.length === 1) return found[0];
  const reason = found.length === 0
    ? "there is no such user; `wattkeeper user list` shows them all"
    : "several users have this address: give the id, which `wattkeeper user list` shows";
  throw new Fault("not_found", reason);
}

/** Adds `session`. */
export function addSessionCommand(program: Command, context: Context): void {
  const { effects } = context;
  const session = program.command("session").description("list and end the sessions of browsers");
  withRemote(session.command("list")).description("list all sessions")
    .action(async (flags: RemoteFlags) => {
      const sessions = await hereOrThere<readonly SessionInfo[]>(context, flags, {
        here: (parts) => sessionsHere(context, parts),
        there: async (ask) =>
          (await ask<{ sessions: SessionInfo[] }>({ path: sessions_path })).sessions,
      });
      outList(effects, { lines: sessions.map(sessionLine), none: "no sessions" });
    });
  withRemote(session.command("revoke").argument("<id>", "the session's id"))
    .description("end a session")
    .action(async (id: string, flags: RemoteFlags) => {
      await hereOrThere<unknown>(context, flags, {
        here: async (parts) => {
          const { sessions } = (await openSignIn(context, parts)).sign_in;
          if (!sessions.list().some((session) => session.id === id)) {
            throw new Fault("not_found", `there is no session ${id}`);
          }
          await sessions.end([id]);
        },
        there: (ask) => ask({ method: "DELETE", path: pathOf(sessions_path, id) }),
      });
      effects.out(`session ${id} is revoked\n`);
    });
}

/** A session as the interface lists it. */
type SessionInfo = {
  readonly id: string;
  readonly name: string;
  readonly via: string;
  readonly address: string | null;
  readonly last_used_at: string;
  readonly expires_at: string;
};

const sessions_path = "/admin/v1/sessions";

async function sessionsHere(context: Context, parts: Offline): Promise<readonly SessionInfo[]> {
  const { sign_in } = await openSignIn(context, parts);
  return sign_in.sessions.list().map((session) => ({
    ...session,
    name: session.grant.name,
    last_used_at: instantText(session.last_used_at),
    expires_at: instantText(session.expires_at),
  }));
}

function sessionLine({ id, name, via, address, last_used_at, expires_at }: SessionInfo): string {
  const words = [id, name, via, address ?? "address unknown"];
  return [...words, `used ${last_used_at}`, `expires ${expires_at}`].join("  ") + "\n";
}

function userLine(
  { id, organization_id, email, first_name, last_name, disabled_at, ...rights }: User,
): string {
  const state = disabled_at === null ? "active" : `disabled ${instantText(disabled_at)}`;
  const name = `${first_name} ${last_name}`;
  const words = [id, `organization ${organization_id}`, email, name, state];
  const projects = rights.project_ids ? [`projects ${rights.project_ids.join(",")}`] : [];
  return [...words, rights.scopes.join(",") || "can't sign in", ...projects].join("  ") + "\n";
}
