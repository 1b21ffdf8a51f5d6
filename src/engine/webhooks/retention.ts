// Drops the record of deliveries that were settled long ago, once in a while.
import type { Effects } from "../../base/effects.ts";
import { webhook_limits } from "../../model/webhooks/limits.ts";
import type { Settings } from "../../model/setting.ts";
import type { Database } from "../../store/database.ts";
import { dropDeliveries } from "../../store/webhooks/delivery_record.ts";
import { Loop } from "../core/loop.ts";

type Parts = {
  readonly database: Database;
  readonly settings: Pick<Settings, "webhook_keep_days">;
};

/** Drops what is older than the setting says; what is not settled stays, however old. */
export async function retainDeliveries({ database, settings }: Parts): Promise<void> {
  const before_us = database.now_us - settings.webhook_keep_days * 86_400_000_000;
  await database.write(({ connection }) => dropDeliveries(connection, before_us));
}

/** Does so in the background, a few times a day. */
export function retentionLoop(
  { effects, ...parts }: Parts & { readonly effects: Pick<Effects, "sleep"> },
): Loop {
  const period_ms = webhook_limits.retain_ms;
  return new Loop({
    name: "dropping old deliveries",
    effects,
    // Not at the start, when there is enough to do.
    first_ms: period_ms,
    retry_ms: period_ms,
    turn: async () => {
      await retainDeliveries(parts);
      return period_ms;
    },
  });
}
