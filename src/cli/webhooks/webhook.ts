// `webhook`: who is told of events, declared here or at a running service.
import type { Command } from "commander";
import { Fault } from "../../base/fault.ts";
import { limits } from "../../base/limits.ts";
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
import type { Context } from "../frame/context.ts";
import type { RemoteFlags } from "../frame/remote.ts";
import { addWebhookListen } from "./listen.ts";
import { done, withRemote } from "./place.ts";
import { addWebhookRedeliver } from "./redeliver.ts";
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
  addWebhookRedeliver(webhook, context);
  addWebhookListen(webhook, context);
  addWebhookSend(webhook, context);
  addWebhookVerify(webhook, context);
}

function addAdd(webhook: Command, context: Context): void {
  const { effects } = context;
  withRemote(
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
    .option("--timeout <seconds>", `how long an answer may take, up to ${limits.webhook_timeout_s}`)
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
  withRemote(webhook.command("list").description("list all subscriptions"))
    .action(async (flags: RemoteFlags) => {
      const { subscriptions } = await done<{ subscriptions: readonly ShownSubscription[] }>(
        context,
        flags,
        {
          here: ({ subscriptions }) => ({
            subscriptions: subscriptions.list().map((it) => showSubscription(it, subscriptions)),
          }),
          there: { path },
        },
      );
      for (const subscription of subscriptions) effects.out(lineOf(subscription));
    });
  withRemote(webhook.command("show").argument("<id>", "the subscription's id"))
    .description("print a subscription as JSON, without its secret")
    .action(async (id: string, flags: RemoteFlags) => {
      const shown = await done<ShownSubscription>(context, flags, {
        here: ({ subscriptions }) => showSubscription(subscriptions.find(id), subscriptions),
        there: { path: pathOf(id) },
      });
      effects.out(JSON.stringify(shown, null, 2) + "\n");
    });
}

function addRotate(webhook: Command, context: Context): void {
  const { effects } = context;
  withRemote(webhook.command("rotate").argument("<id>", "the subscription's id"))
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
  withRemote(webhook.command(change).argument("<id>", "the subscription's id"))
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
  withRemote(webhook.command("remove").argument("<id>", "the subscription's id"))
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
  withRemote(webhook.command("test").argument("<id>", "the subscription's id"))
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

const path = "/admin/v1/subscriptions";

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
  { id, name, state, reason, target, event_types, organization_id, project_ids }: ShownSubscription,
): string {
  const where = project_ids ? `projects ${project_ids.join(",")}` : `all of ${organization_id}`;
  const stands = reason === null ? state : `${state}: ${reason}`;
  return [id, name, stands, event_types.join(","), where, target].join("  ") + "\n";
}
