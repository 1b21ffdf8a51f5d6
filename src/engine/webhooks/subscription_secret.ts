// Secrets of subscriptions: made, and followed by others with an overlap.
import type { Effects } from "../../base/effects.ts";
import type { SubscriptionSecret } from "../../model/webhooks/subscription.ts";

/** A new secret: as Standard Webhooks writes it, 32 bytes. */
export function newSecret({ random }: Pick<Effects, "random">): string {
  return `whsec_${btoa(String.fromCharCode(...random(32)))}`;
}

/**
 * The secrets after a rotation, the newest first: the fresh one, and the one that was the newest
 * until now, which ends with the overlap. An older one ends at once: two sign at most.
 */
export function rotated(
  [newest]: readonly SubscriptionSecret[],
  { fresh, expires_at }: {
    readonly fresh: Omit<SubscriptionSecret, "expires_at">;
    /** When the overlap is over, by the wall clock. */
    readonly expires_at: number;
  },
): readonly [SubscriptionSecret, SubscriptionSecret] {
  return [{ ...fresh, expires_at: null }, { ...newest, expires_at }];
}
