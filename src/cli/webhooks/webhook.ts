// `webhook` and `key`: who receives events, and which keys sign them, here or at a running service.
import type { Command } from "commander";
import type * as z from "zod";
import { Fault } from "../../base/fault.ts";
import { keyPath } from "../../model/setting.ts";
import { webhook_limits } from "../../model/webhooks/limits.ts";
import { Outbox } from "../../engine/webhooks/outbox.ts";
import { resetSecrets } from "../../engine/webhooks/reset.ts";
import { redelivered_form, redeliverEvents } from "../../engine/webhooks/redeliver.ts";
import { type ShownKey, SigningKeys } from "../../engine/webhooks/signing.ts";
import { Subscriptions } from "../../engine/webhooks/subscription.ts";
import {
  type ShownRemoved,
  type ShownSecret,
  type ShownSubscription,
  type ShownTest,
  showRemoved,
  showSecret,
  showSubscription,
} from "../../engine/webhooks/subscription_view.ts";
import { sendTestEvent } from "../../engine/webhooks/test_event.ts";
import { webhook_words } from "../../model/webhooks/webhook.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import { type Context, hereOrThere, type Offline, offline, outList } from "../frame/context.ts";
import { type Question, type RemoteFlags, withRemote } from "../frame/remote.ts";
import { addWebhookListen } from "./listen.ts";
import { addWebhookSend } from "./send.ts";
import { addWebhookVerify } from "./verify.ts";

type AddFlags = RemoteFlags & {
  readonly name: string;
  readonly target: string;
  readonly event: readonly string[];
  readonly organization?: string;
  readonly project?: readonly string[];
  readonly header?: readonly string[];
  readonly timeout?: string;
  readonly ordered?: true;
  readonly hearsItself?: true;
};

/** Adds `webhook`. */
export function addWebhookCommand(program: Command, context: Context): void {
  const webhook = program.command("webhook").description(
    "manage the receivers of events, and test receivers",
  );
  addAdd(webhook, context);
  addReads(webhook, context);
  addRotate(webhook, context);
  for (const change of ["pause", "resume"] as const) addChange(webhook, context, change);
  addRemove(webhook, context);
  addTest(webhook, context);
  addRedeliver(webhook, context);
  addWebhookListen(webhook, context);
  addWebhookSend(webhook, context);
  addWebhookVerify(webhook, context);
}

function addAdd(webhook: Command, context: Context): void {
  const { effects } = context;
  managed(
    webhook.command("add").description(
      "subscribe to events and print the secret; it is shown only once",
    ),
  )
    .requiredOption("--name <text>", "what it is for")
    .requiredOption("--target <url>", "the URL that events are sent to")
    .requiredOption("--event <type...>", `what is sent: ${webhook_words.join(", ")}`)
    .option("--organization <key>", "organization (key or id); not needed if there is only one")
    .option("--project <key...>", "limit it to projects (keys or ids)")
    .option("--header <line...>", "also send this header: 'name: value'")
    .option("--timeout <seconds>", `how long an answer may take, up to ${webhook_limits.timeout_s}`)
    .option("--ordered", "each event waits until the one before it is finished")
    .option("--hears-itself", "also send the changes of its own inbound sync")
    .action(async (flags: AddFlags) => {
      const body = bodyOf(flags);
      const made = await done<ShownSecret>(context, flags, {
        here: async ({ subscriptions, catalog }) => {
          const [only, ...others] = catalog.organizations;
          const organization = others.length === 0 ? only?.id : undefined;
          return showSecret(await subscriptions.create({ organization, ...body }), subscriptions);
        },
        there: { path, body },
      });
      effects.err(`subscription ${made.id}; its secret is shown only now:\n`);
      effects.out(`${made.secret}\n`);
    });
}

function addReads(webhook: Command, context: Context): void {
  const { effects } = context;
  managed(webhook.command("list").description("list all subscriptions"))
    .action(async (flags: RemoteFlags) => {
      const { subscriptions } = await done<{ subscriptions: readonly ShownSubscription[] }>(
        context,
        flags,
        {
          here: ({ subscriptions }) => ({
            subscriptions: subscriptions.list().map((it) => showSubscription(it, subscriptions)),
          }),
          there: { path, search: { include: "breaker" } },
        },
      );
      outList(effects, { lines: subscriptions.map(lineOf), none: "no subscriptions yet" });
    });
  managed(webhook.command("show").argument("<id>", "the subscription's id"))
    .description("print a subscription as JSON, without its secret")
    .action(async (id: string, flags: RemoteFlags) => {
      const shown = await done<ShownSubscription>(context, flags, {
        here: ({ subscriptions }) => showSubscription(subscriptions.find(id), subscriptions),
        there: { path: pathOf(id), search: { include: "breaker" } },
      });
      effects.out(JSON.stringify(shown, null, 2) + "\n");
    });
}

function addRotate(webhook: Command, context: Context): void {
  const { effects } = context;
  managed(webhook.command("rotate").argument("<id>", "the subscription's id"))
    .description("make a new secret and print it once; both sign for a while")
    .action(async (id: string, flags: RemoteFlags) => {
      const { secret, former_secret_until } = await done<ShownSecret>(context, flags, {
        here: async ({ subscriptions }) =>
          showSecret(await subscriptions.rotate(id), subscriptions),
        there: { path: pathOf(id, "rotate-secret"), body: {} },
      });
      effects.err(`the old secret also signs until ${former_secret_until}; the new one:\n`);
      effects.out(`${secret}\n`);
    });
}

function addChange(webhook: Command, context: Context, change: "pause" | "resume"): void {
  const docs = {
    pause: "pause: hold its events",
    resume: "resume with its held events; also if the service disabled it",
  };
  managed(webhook.command(change).argument("<id>", "the subscription's id"))
    .description(docs[change])
    .action(async (id: string, flags: RemoteFlags) => {
      const shown = await done<ShownSubscription>(context, flags, {
        here: async ({ subscriptions }) =>
          showSubscription(await subscriptions[change](id), subscriptions),
        there: { path: pathOf(id, change), body: {} },
      });
      context.effects.out(lineOf(shown));
    });
}

function addRemove(webhook: Command, context: Context): void {
  managed(webhook.command("remove").argument("<id>", "the subscription's id"))
    .description("remove it; unfinished deliveries become dead")
    .action(async (id: string, flags: RemoteFlags) => {
      await done<ShownRemoved>(context, flags, {
        here: async ({ subscriptions }) => showRemoved(await subscriptions.remove(id)),
        there: { path: pathOf(id), method: "DELETE" },
      });
      context.effects.out(`subscription ${id} is removed\n`);
    });
}

function addTest(webhook: Command, context: Context): void {
  managed(webhook.command("test").argument("<id>", "the subscription's id"))
    .description("send it a test event when the service runs")
    .action(async (id: string, flags: RemoteFlags) => {
      const { event_id } = await done<ShownTest>(context, flags, {
        here: async (parts) => {
          return { event_id: await sendTestEvent(parts, parts.subscriptions.find(id)) };
        },
        there: { path: pathOf(id, "test"), body: {} },
      });
      context.effects.out(`event ${event_id} will be sent\n`);
    });
}

type RedeliverFlags = RemoteFlags & {
  readonly subscription?: string;
  readonly from?: string;
  readonly to?: string;
};

function addRedeliver(webhook: Command, context: Context): void {
  const { effects } = context;
  managed(webhook.command("redeliver").argument("[event]", "the event's id"))
    .description("send an event, or all events of a time range, again")
    .option("--subscription <id>", "the subscription; for one event all by default")
    .option("--from <time>", "events recorded at or after this instant, with an offset")
    .option("--to <time>", "and before this instant")
    .addHelpText("after", redeliver_help)
    .action(async (event_id: string | undefined, flags: RedeliverFlags) => {
      const body = replayOf(event_id, flags);
      const { events, deliveries } = await done<z.output<typeof redelivered_form>>(context, flags, {
        here: (parts) => redeliverEvents(parts, body),
        there: { path: "/admin/v1/deliveries/replay", body },
      });
      effects.out(`events found: ${events}, deliveries made: ${deliveries}\n`);
    });
}

/** Adds `key`. */
export function addKeyCommand(program: Command, context: Context): void {
  const key = program.command("key").description(
    "list and replace the keys that sign webhooks; reset all secrets where their key is lost",
  );
  withRemote(key.command("list").description("list all published keys"))
    .action((flags: RemoteFlags) =>
      printKeys(context, flags, {
        here: (signing) => signing.list(),
        there: { path: keys_path },
      })
    );
  withRemote(
    key.command("rotate").description("publish the next key; it begins to sign a day later"),
  )
    .action((flags: RemoteFlags) =>
      printKeys(context, flags, {
        here: (signing) => signing.rotate(),
        there: { path: `${keys_path}/rotate`, body: {} },
      })
    );
  key.command("reset").description("make new secrets where the file that opens them is lost")
    .addHelpText("after", reset_help)
    .action(() =>
      offline(context, async ({ database, settings }) => {
        const { effects } = context;
        const key_path = keyPath(settings);
        const reset = await resetSecrets({ database, effects, key_path });
        effects.err(`${key_path} is the key now; the next start makes a new signing key\n`);
        for (const { id, name, secret } of reset) {
          effects.err(`subscription ${id} (${name}) is paused; its new secret, shown only now:\n`);
          effects.out(`${secret}\n`);
        }
      })
    );
}

const reset_help = `
For a restored backup without its key file, while no service runs. Signing keys, the secrets of
subscriptions and their headers can't be opened then: each subscription gets a new secret, loses its
headers and is paused. Give the secret to its receiver, set its headers again, and resume it. No
event is lost meanwhile.`;

const redeliver_help = `
An event keeps its id and its bytes: a receiver that took it before passes it over. What is on its
way already stays so. Deliveries that are made here are sent as soon as the service runs.

  wattkeeper webhook redeliver 0199f3a4-5b6c-7d8e-9f00-112233445566
  wattkeeper webhook redeliver --subscription ID --from 2026-06-01T00:00:00Z \\
    --to 2026-06-02T00:00:00Z --url http://plant:8480 --token-file token.txt`;

/** What is asked for, without what was not said. */
function replayOf(event_id: string | undefined, { subscription, from, to }: RedeliverFlags) {
  return {
    ...(event_id === undefined ? {} : { event_id }),
    ...(subscription === undefined ? {} : { subscription_id: subscription }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}

const path = "/admin/v1/subscriptions";

const managed = (command: Command) => withRemote(command, "manage");

function pathOf(id: string, deed?: string): string {
  return [path, encodeURIComponent(id), ...(deed ? [deed] : [])].join("/");
}

/** What is asked for, without what was not said. */
function bodyOf({ event, project, header, timeout, ordered, hearsItself, ...flags }: AddFlags) {
  const { name, target, organization } = flags;
  return {
    ...{ name, target, event_types: event },
    ...(organization === undefined ? {} : { organization }),
    ...(project === undefined ? {} : { projects: project }),
    ...(header === undefined ? {} : { headers: Object.fromEntries(header.map(headerOf)) }),
    // What is no number is told with everything else that is wrong.
    ...(timeout === undefined ? {} : { timeout_s: /^\d+$/.test(timeout) ? +timeout : timeout }),
    ...{ is_ordered: ordered ?? false, hears_itself: hearsItself ?? false },
  };
}

function headerOf(line: string): readonly [name: string, value: string] {
  const at = line.indexOf(":");
  if (at > 0) return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  throw new Fault("invalid", "give a header as 'name: value'");
}

function lineOf(
  { organization_id, project_ids, breaker, ...it }: ShownSubscription,
): string {
  const { id, name, state, reason, target, event_types } = it;
  const where = project_ids ? `projects ${project_ids.join(",")}` : `all of ${organization_id}`;
  const rests = breaker?.next_try_at
    ? `, its receiver fails since ${breaker.since}, next try ${breaker.next_try_at}`
    : "";
  const stands = (reason === null ? state : `${state}: ${reason}`) + rests;
  return [id, name, stands, event_types.join(","), where, target].join("  ") + "\n";
}

/** What they work with on the data directory. */
type Here = Pick<Offline, "database" | "catalog"> & Pick<Context, "effects"> & {
  readonly subscriptions: Subscriptions;
  readonly outbox: Outbox;
};

/** Does something with subscriptions, here or at the service that flags name. */
async function done<Answer>(
  context: Context,
  flags: RemoteFlags,
  { here, there }: Work<Here, Answer>,
): Promise<Answer> {
  const { effects } = context;
  return await hereOrThere<Answer>(context, flags, {
    here: async ({ database, catalog, settings }) => {
      const subscriptions = await Subscriptions.open({ database, catalog, effects, settings });
      const outbox = await Outbox.open({ database, subscriptions, effects });
      return await here({ database, catalog, effects, subscriptions, outbox });
    },
    there: (ask) => ask(there),
  });
}

/** The same work on the data directory, and as a request to a running service. */
type Work<Parts, Answer> = {
  readonly here: (parts: Parts) => Promise<Answer> | Answer;
  readonly there: Question;
};

/** A key in words: a service sends its instants as text. */
type Listed = Readonly<Record<keyof ShownKey, string | number | null>>;

const keys_path = "/admin/v1/signing-keys";

/** Prints the keys that some work gives, here or at the service that flags name. */
async function printKeys(
  context: Context,
  flags: RemoteFlags,
  { here, there }: Work<SigningKeys, readonly Listed[]>,
): Promise<void> {
  const { effects } = context;
  type Answer = { readonly signing_keys: readonly Listed[] };
  const { signing_keys } = await hereOrThere<Answer>(context, flags, {
    here: async ({ database, settings }) => {
      const signing = await SigningKeys.open({ database, effects, settings });
      return { signing_keys: await here(signing) };
    },
    there: (ask) => ask(there),
  });
  effects.out(signing_keys.map(keyLine).join(""));
}

function keyLine({ kid, state, published_from, signs_from, signs_until, published_until }: Listed) {
  const text = (at: string | number | null) => typeof at === "number" ? instantText(at) : at;
  const words = [kid, state, `published ${text(published_from)}`, `signs from ${text(signs_from)}`];
  if (signs_until !== null) words.push(`until ${text(signs_until)}`);
  if (published_until !== null) words.push(`published until ${text(published_until)}`);
  return `${words.join("  ")}\n`;
}
