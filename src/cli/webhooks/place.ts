// Where commands on webhooks work: on the data directory, or at a running service.
import type { Command } from "commander";
import { Outbox } from "../../engine/webhooks/outbox.ts";
import { Subscriptions } from "../../engine/webhooks/subscription.ts";
import { type Context, type Offline, offline } from "../frame/context.ts";
import { askService, type Question, type RemoteFlags, remoteOf } from "../frame/remote.ts";

/** Adds the flags that name a running service. */
export function withRemote(command: Command): Command {
  return command
    .option("--url <address>", "use a running service instead of this machine's data directory")
    .option("--token <text>", "with --url: a token with the scope manage")
    .option("--token-file <path>", "with --url: a file that holds the token");
}

/** What they work with on the data directory. */
type Here = Pick<Offline, "database" | "catalog"> & Pick<Context, "effects"> & {
  readonly subscriptions: Subscriptions;
  readonly outbox: Outbox;
};

/** Does something on the data directory, or at the service that flags name. */
export async function done<Answer>(
  context: Context,
  flags: RemoteFlags,
  { here, there }: {
    readonly here: (parts: Here) => Promise<Answer> | Answer;
    readonly there: Question;
  },
): Promise<Answer> {
  const { effects } = context;
  if (flags.url !== undefined) {
    return await askService<Answer>(effects, await remoteOf(flags.url, flags), there);
  }
  return await offline(context, async ({ database, catalog, settings }) => {
    const subscriptions = await Subscriptions.open({ database, catalog, effects, settings });
    const outbox = await Outbox.open({ database, subscriptions, effects });
    return await here({ database, catalog, effects, subscriptions, outbox });
  });
}
