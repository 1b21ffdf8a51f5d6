// Begins anew with another key where the one that sealed the secrets is lost.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import type { Database } from "../../store/database.ts";
import { keepFacts } from "../../store/meta.ts";
import { readOrMakeKey } from "../../store/vault.ts";
import { replaceSigningKeys } from "../../store/webhooks/signing_key.ts";
import {
  forgetSealed,
  replaceSecrets,
  type SealedSubscription,
} from "../../store/webhooks/subscription.ts";
import { newSecret } from "./subscription.ts";

type Parts = {
  readonly database: Database;
  readonly effects: Pick<Effects, "random">;
  /** Where the other key is; it is made where there is none. */
  readonly key_path: string;
};

/** A subscription, paused, with its new secret. */
export type ResetSubscription = SealedSubscription & { readonly secret: string };

/**
 * Gives every subscription a new secret, no headers, and a pause, and forgets the signing keys: the
 * next start makes one. Throws a `Fault` (conflict) where the key is there.
 */
export async function resetSecrets(
  { database, effects, key_path }: Parts,
): Promise<readonly ResetSubscription[]> {
  const { vault } = database;
  if (!vault.is_locked) {
    throw new Fault("conflict", `${key_path} is the right key: there is nothing to begin anew`);
  }
  vault.use(await readOrMakeKey(key_path, effects));
  return await database.write(async ({ connection, stamp_us }) => {
    const subscriptions = await forgetSealed(connection);
    const reset = subscriptions.map((it) => ({ ...it, secret: newSecret(effects) }));
    for (const { subscription_no, secret } of reset) {
      const secrets = [{ subscription_no, secret, created_at: stamp_us, expires_at: null }];
      await replaceSecrets(connection, subscription_no, secrets);
    }
    await replaceSigningKeys(connection, []);
    await keepFacts(connection, { key: vault.key_id, sealing: null, stamp: stamp_us });
    return reset;
  });
}
