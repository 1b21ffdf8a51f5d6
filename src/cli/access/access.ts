// `token`, `user` and `session`: access tokens, who may act, and which browsers are signed in.
import type { Command } from "commander";
import { Fault } from "../../base/fault.ts";
import { Access, type TokenInfo } from "../../engine/access/access.ts";
import { checkTokenRequest } from "../../engine/access/token_request.ts";
import { SignIn } from "../../engine/access/sign_in.ts";
import { Users } from "../../engine/access/user.ts";
import { scopes } from "../../model/access/token.ts";
import { browserOrigin, linkUrl, listenAddress } from "../../model/access/session.ts";
import { isNamed, type User } from "../../model/access/user.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { type Context, type Offline, offline } from "../frame/context.ts";
import { askService, type Remote, type RemoteFlags, remoteOf } from "../frame/remote.ts";

type CreateOptions = {
  readonly name: string;
  readonly scope: readonly string[];
  readonly organization?: string;
  readonly project?: readonly string[];
  readonly user?: string;
  readonly expires?: string;
};

/** Adds `token`. */
export function addTokenCommand(program: Command, context: Context): void {
  const { effects } = context;
  const token = program.command("token").description("make, list and revoke access tokens");
  token.command("create").description("make a token and print its text; it is shown only once")
    .requiredOption("--name <text>", "what it is for")
    .requiredOption("--scope <scope...>", `what it may do: ${scopes.join(", ")}`)
    .option("--organization <key>", "limit it to an organization (key or id)")
    .option("--project <key...>", "limit it to projects of one organization (keys or ids)")
    .option("--user <id>", "the user who acts with it (id or e-mail)")
    .option("--expires <instant>", "when it ends, ISO 8601 with an offset")
    .action((options: CreateOptions) =>
      withAccess(context, async (access, { catalog, users }) => {
        const request = {
          name: options.name,
          scopes: options.scope,
          organization: options.organization,
          projects: options.project,
          user: options.user,
          expires_at: options.expires,
        };
        const wanted = checkTokenRequest(request, { catalog, users, now_us: effects.now_us() });
        const { id, token } = await access.create(wanted);
        effects.err(`token ${id}; its text is shown only now:\n`);
        effects.out(`${token}\n`);
      })
    );
  token.command("list").description("list all tokens, without their texts")
    .action(() =>
      withAccess(context, (access) => {
        for (const info of access.list()) effects.out(tokenLine(info, effects.now_us()));
      })
    );
  token.command("revoke").argument("<id>", "the token's id").description("end a token")
    .action((id: string) =>
      withAccess(context, async (access) => {
        if (!await access.revoke(id)) throw new Fault("not_found", `there is no token ${id}`);
        effects.out(`token ${id} is revoked\n`);
      })
    );
}

type Known = Pick<Offline, "database" | "catalog"> & { readonly users: Users };

/** Whoever opens the tokens first gets the administrator's: it must be printed here, too. */
function withAccess(
  context: Context,
  work: (access: Access, known: Known) => Promise<void> | void,
): Promise<void> {
  const { effects } = context;
  return offline(context, async ({ database, catalog }) => {
    const access = await Access.open({ database, effects });
    if (access.first_token) {
      effects.err(`the administrator's token, shown only now: ${access.first_token}\n`);
    }
    const users = await Users.open({ database, catalog, effects });
    await work(access, { database, catalog, users });
  });
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

type AddOptions = {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly organization: string;
  readonly scope?: readonly string[];
  readonly project?: readonly string[];
};

/** Adds `user`. */
export function addUserCommand(program: Command, context: Context): void {
  const { effects } = context;
  const user = program.command("user").description(
    "manage the users who may act on alarms and work",
  );
  user.command("add").description("add a user and print the id")
    .requiredOption("--email <address>", "e-mail address, unique in the organization")
    .requiredOption("--first-name <text>", "first name")
    .requiredOption("--last-name <text>", "last name")
    .requiredOption("--organization <key>", "organization (key or id)")
    .option("--scope <scope...>", `let the user sign in, and do: ${scopes.join(", ")}`)
    .option("--project <key...>", "limit the user to projects of the organization (keys or ids)")
    .action(({ email, firstName, lastName, organization, scope, project }: AddOptions) =>
      withUsers(context, async (users) => {
        const person = { email, first_name: firstName, last_name: lastName };
        const rights = { scopes: scope, projects: project };
        const { id } = await users.create({ ...person, organization, ...rights });
        effects.out(`${id}\n`);
      })
    );
  user.command("allow").argument("<id>", "the user's id")
    .description("change what a user may do when signed in; without --scope, nothing")
    .option("--scope <scope...>", `what the user may do: ${scopes.join(", ")}`, [])
    .option("--project <key...>", "limit the user to projects of the organization (keys or ids)")
    .action((id: string, { scope, project }: { scope: string[]; project?: string[] }) =>
      withSignIn(context, async (_, users) => {
        effects.out(userLine(await users.allow(id, { scopes: scope, projects: project })));
      })
    );
  addLinkCommand(user, context);
  user.command("list").description("list all users")
    .action(() =>
      withUsers(context, (users) => {
        for (const it of users.list()) effects.out(userLine(it));
      })
    );
  user.command("disable").argument("<id>", "the user's id")
    .description("disable a user and the user's tokens")
    .action((id: string) =>
      withSignIn(context, async (_, users) => {
        await users.disable(id);
        effects.out(`user ${id} is disabled\n`);
      })
    );
}

function withUsers(context: Context, work: (users: Users) => Promise<void> | void): Promise<void> {
  const { effects } = context;
  return offline(context, async ({ database, catalog }) => {
    await work(await Users.open({ database, catalog, effects }));
  });
}

/** With the sessions too, which end with their users. */
function withSignIn(
  context: Context,
  work: (sign_in: SignIn, users: Users) => Promise<void> | void,
): Promise<void> {
  return withAccess(context, async (access, { database, users }) => {
    const { effects } = context;
    await work(await SignIn.open({ database, access, users, effects }), users);
  });
}

const remote_doc = "ask a service that runs, at this address";

/** Options that name a service, which is asked in place of the data directory. */
function remotely(command: Command): Command {
  return command.option("--url <address>", remote_doc)
    .option("--token <token>", "an administrator's token of this service")
    .option("--token-file <file>", "file with this token");
}

type LinkFlags = RemoteFlags & { readonly organization?: string };

/** Adds `user link`. */
function addLinkCommand(user: Command, context: Context): void {
  const { effects } = context;
  remotely(user.command("link").argument("<email>", "the user's e-mail address or id"))
    .description("print an address that signs the user in once, for a short time")
    .option("--organization <id>", "where users of several organizations have this address")
    .action(async (email: string, { organization, ...flags }: LinkFlags) => {
      const wanted = { word: email, organization };
      const url = flags.url === undefined
        ? await linkHere(context, wanted)
        : await linkThere(context, wanted, await remoteOf(flags.url, flags));
      effects.out(`${url}\n`);
    });
}

type Wanted = { readonly word: string; readonly organization: string | undefined };

async function linkHere(context: Context, wanted: Wanted): Promise<string> {
  const { settings } = await context.resolve();
  let code = "";
  await withSignIn(context, async (sign_in, users) => {
    ({ code } = await sign_in.makeUserLink(onlyUser(users.list(), wanted)));
  });
  return linkUrl(browserOrigin(settings, listenAddress(settings)), code);
}

async function linkThere(
  { effects }: Context,
  wanted: Wanted,
  remote: Remote,
): Promise<string> {
  const path = "/admin/v1/users";
  const { users } = await askService<{ users: User[] }>(effects, remote, { path });
  const { id } = onlyUser(users, wanted);
  const link_path = `${path}/${encodeURIComponent(id)}/link`;
  const made = await askService<{ url: string }>(effects, remote, {
    method: "POST",
    path: link_path,
  });
  return made.url;
}

/** The address is not repeated: what goes wrong may be logged. */
function onlyUser(users: readonly User[], { word, organization }: Wanted): User {
  const found = users.filter((user) =>
    isNamed(user, word) && (organization === undefined || user.organization_id === organization)
  );
  if (found.length === 1) return found[0];
  const reason = found.length === 0
    ? "there is no such user"
    : "several users have this address: give --organization, or the id";
  throw new Fault("not_found", reason);
}

/** Adds `session`. */
export function addSessionCommand(program: Command, context: Context): void {
  const { effects } = context;
  const session = program.command("session").description("list and end the sessions of browsers");
  remotely(session.command("list")).description("list all sessions")
    .action(async (flags: RemoteFlags) => {
      for (const info of await sessionsOf(context, flags)) effects.out(sessionLine(info));
    });
  remotely(session.command("revoke").argument("<id>", "the session's id"))
    .description("end a session")
    .action(async (id: string, flags: RemoteFlags) => {
      await revokeSession(context, { id, flags });
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

async function sessionsOf(
  context: Context,
  flags: RemoteFlags,
): Promise<readonly SessionInfo[]> {
  if (flags.url !== undefined) {
    const remote = await remoteOf(flags.url, flags);
    const question = { path: sessions_path };
    return (await askService<{ sessions: SessionInfo[] }>(context.effects, remote, question))
      .sessions;
  }
  let found: readonly SessionInfo[] = [];
  await withSignIn(context, (sign_in) => {
    found = sign_in.sessions.list().map((session) => ({
      ...session,
      name: session.grant.name,
      last_used_at: instantText(session.last_used_at),
      expires_at: instantText(session.expires_at),
    }));
  });
  return found;
}

async function revokeSession(
  context: Context,
  { id, flags }: { readonly id: string; readonly flags: RemoteFlags },
): Promise<void> {
  if (flags.url !== undefined) {
    const path = `${sessions_path}/${encodeURIComponent(id)}`;
    const remote = await remoteOf(flags.url, flags);
    await askService(context.effects, remote, { method: "DELETE", path });
    return;
  }
  await withSignIn(context, async ({ sessions }) => {
    if (!sessions.list().some((session) => session.id === id)) {
      throw new Fault("not_found", `there is no session ${id}`);
    }
    await sessions.end([id]);
  });
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
