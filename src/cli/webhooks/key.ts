// `key list` and `key rotate`: the keys that sign webhooks, here or at a running service.
import type { Command } from "commander";
import { type ShownKey, SigningKeys } from "../../engine/webhooks/signing.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { type Context, offline } from "../frame/context.ts";
import { askService, type Question, type RemoteFlags, remoteOf } from "../frame/remote.ts";

/** A key in words: where a service is asked, its instants are text already. */
type Listed = Readonly<Record<keyof ShownKey, string | number | null>>;

/** Adds `key`. */
export function addKeyCommand(program: Command, context: Context): void {
  const { effects } = context;
  const key = program.command("key").description("list and replace the keys that sign webhooks");
  withRemote(key.command("list").description("list all published keys"))
    .action(async (flags: RemoteFlags) => {
      const keys = flags.url === undefined
        ? await withKeys(context, (signing) => signing.list())
        : await ask(context, { url: flags.url, flags }, { path });
      effects.out(keys.map(lineOf).join(""));
    });
  withRemote(
    key.command("rotate").description(
      "publish the next key; it begins to sign a day later",
    ),
  )
    .action(async (flags: RemoteFlags) => {
      const keys = flags.url === undefined
        ? await withKeys(context, (signing) => signing.rotate())
        : await ask(context, { url: flags.url, flags }, { path: `${path}/rotate`, body: {} });
      effects.out(keys.map(lineOf).join(""));
    });
}

const path = "/admin/v1/signing-keys";

function withRemote(command: Command): Command {
  return command
    .option("--url <address>", "use a running service instead of this machine's data directory")
    .option("--token <text>", "with --url: a token with the scope admin")
    .option("--token-file <path>", "with --url: a file that holds the token");
}

function withKeys(
  context: Context,
  work: (signing: SigningKeys) => Promise<readonly ShownKey[]> | readonly ShownKey[],
): Promise<readonly Listed[]> {
  const { effects } = context;
  return offline(context, async ({ database, settings }) => {
    const days = settings.signing_key_days;
    return await work(await SigningKeys.open({ database, effects, days }));
  });
}

async function ask(
  { effects }: Context,
  { url, flags }: { readonly url: string; readonly flags: RemoteFlags },
  question: Question,
): Promise<readonly Listed[]> {
  const remote = await remoteOf(url, flags);
  type Answer = { readonly signing_keys: readonly Listed[] };
  return (await askService<Answer>(effects, remote, question)).signing_keys;
}

function lineOf({ kid, state, published_from, signs_from, signs_until, published_until }: Listed) {
  const text = (at: string | number | null) => typeof at === "number" ? instantText(at) : at;
  const words = [kid, state, `published ${text(published_from)}`, `signs from ${text(signs_from)}`];
  if (signs_until !== null) words.push(`until ${text(signs_until)}`);
  if (published_until !== null) words.push(`published until ${text(published_until)}`);
  return `${words.join("  ")}\n`;
}
