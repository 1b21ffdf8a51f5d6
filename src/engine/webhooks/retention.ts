// Drops the record of deliveries that were settled long ago, once in a while.
import { getLogger } from "@logtape/logtape";
import type { Effects } from "../../base/effects.ts";
import { limits } from "../../base/limits.ts";
import type { Settings } from "../../model/setting.ts";
import type { Database } from "../../store/database.ts";
import { dropDeliveries } from "../../store/webhooks/delivery_record.ts";

const log = getLogger(["wattkeeper", "webhook"]);

type Parts = {
  readonly database: Database;
  readonly settings: Pick<Settings, "webhook_keep_days">;
};

/** Drops what is older than the setting says; what is not settled stays, however old. */
export async function retainDeliveries({ database, settings }: Parts): Promise<void> {
  const before_us = database.now_us - settings.webhook_keep_days * 86_400_000_000;
  await database.write(({ connection }) => dropDeliveries(connection, before_us));
}

/** Does so in the background until `signal` aborts, a few times a day. */
export async function keepRetaining(
  { effects, ...parts }: Parts & { readonly effects: Pick<Effects, "sleep"> },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    // Not at the start, when there is enough to do.
    await effects.sleep(limits.webhook_retain_ms, signal);
    if (signal.aborted) return;
    await retainDeliveries(parts).catch((error) =>
      log.error("deleting old deliveries failed and is tried again: {error}", { error })
    );
  }
}
