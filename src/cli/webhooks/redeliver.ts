// `webhook redeliver`: tells of stored events again, here or at a running service.
import type { Command } from "commander";
import type { z } from "zod";
import { replayed_form, replayEvents } from "../../engine/webhooks/redeliver.ts";
import type { Context } from "../frame/context.ts";
import type { RemoteFlags } from "../frame/remote.ts";
import { done, withRemote } from "./place.ts";

type Flags = RemoteFlags & {
  readonly subscription?: string;
  readonly from?: string;
  readonly to?: string;
};

/** Adds `webhook redeliver`. */
export function addWebhookRedeliver(webhook: Command, context: Context): void {
  const { effects } = context;
  withRemote(webhook.command("redeliver").argument("[event]", "the event's id"))
    .description("send an event, or all events of a time range, again")
    .option("--subscription <id>", "the subscription; for one event all by default")
    .option("--from <time>", "events recorded at or after this instant, with an offset")
    .option("--to <time>", "and before this instant")
    .addHelpText("after", redeliver_help)
    .action(async (event_id: string | undefined, flags: Flags) => {
      const body = bodyOf(event_id, flags);
      const { events, deliveries } = await done<z.output<typeof replayed_form>>(context, flags, {
        here: (parts) => replayEvents(parts, body),
        there: { path: "/admin/v1/deliveries/replay", body },
      });
      effects.out(`events found: ${events}, deliveries made: ${deliveries}\n`);
    });
}

const redeliver_help = `
An event keeps its id and its bytes: a receiver that already has it ignores it. Events that are
still being sent are not affected. Deliveries that are made here are sent when the service runs.

  wattkeeper webhook redeliver 0199f3a4-5b6c-7d8e-9f00-112233445566
  wattkeeper webhook redeliver --subscription ID --from 2026-06-01T00:00:00Z \\
    --to 2026-06-02T00:00:00Z --url http://plant:8480 --token-file token.txt`;

/** What is asked for, without what was not said. */
function bodyOf(event_id: string | undefined, { subscription, from, to }: Flags) {
  return {
    ...(event_id === undefined ? {} : { event_id }),
    ...(subscription === undefined ? {} : { subscription_id: subscription }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}
