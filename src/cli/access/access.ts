// `token` and `user`: access tokens, and who may act on alarms, while no service runs.
import type { Command } from "commander";
import { Fault } from "../../base/fault.ts";
import { Access, type TokenInfo } from "../../engine/access/access.ts";
import { checkTokenRequest } from "../../engine/access/token_request.ts";
import { Users } from "../../engine/access/user.ts";
import type { Catalog } from "../../engine/catalog/catalog.ts";
import { scopes } from "../../model/access/token.ts";
import type { User } from "../../model/access/user.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { type Context, offline } from "../frame/context.ts";

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

type Known = { readonly catalog: Catalog; readonly users: Users };

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
    await work(access, { catalog, users: await Users.open({ database, catalog, effects }) });
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
    .action(({ email, firstName, lastName, organization }: AddOptions) =>
      withUsers(context, async (users) => {
        const person = { email, first_name: firstName, last_name: lastName };
        const { id } = await users.create({ ...person, organization });
        effects.out(`${id}\n`);
      })
    );
  user.command("list").description("list all users")
    .action(() =>
      withUsers(context, (users) => {
        for (const it of users.list()) effects.out(userLine(it));
      })
    );
  user.command("disable").argument("<id>", "the user's id")
    .description("disable a user and the user's tokens")
    .action((id: string) =>
      withUsers(context, async (users) => {
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

function userLine(
  { id, organization_id, email, first_name, last_name, disabled_at }: User,
): string {
  const state = disabled_at === null ? "active" : `disabled ${instantText(disabled_at)}`;
  const name = `${first_name} ${last_name}`;
  return [id, `organization ${organization_id}`, email, name, state].join("  ") + "\n";
}
