// `user add`, `user list` and `user disable`: who may act on alarms, while no service runs.
import type { Command } from "commander";
import { Users } from "../../engine/access/user.ts";
import type { User } from "../../model/access/user.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { type Context, offline } from "../frame/context.ts";

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
        for (const it of users.list()) effects.out(lineOf(it));
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

function lineOf({ id, organization_id, email, first_name, last_name, disabled_at }: User): string {
  const state = disabled_at === null ? "active" : `disabled ${instantText(disabled_at)}`;
  const name = `${first_name} ${last_name}`;
  return [id, `organization ${organization_id}`, email, name, state].join("  ") + "\n";
}
