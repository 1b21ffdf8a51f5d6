// What follows from an attempt, for its delivery and for its subscription.
import type { Effects } from "../../base/effects.ts";
import { type AttemptVerdict, isAcknowledged, judgeAttempt } from "../../model/webhooks/retry.ts";
import type { Settlement } from "../../store/webhooks/delivery.ts";
import type { Lane } from "./endpoint_queue.ts";
import type { Waiting } from "./priority_queue.ts";
import type { Sent } from "./send.ts";

/** An attempt that ended, what follows, and how that is stored. */
export type Ended = {
  readonly lane: Lane;
  readonly waiting: Waiting;
  readonly verdict: AttemptVerdict;
  readonly settlement: Settlement;
};

/** A claimed delivery that is under way no more, and when that was. */
type Landed = Pick<Ended, "lane" | "waiting"> & {
  /** On the clock of stamps. */
  readonly at_us: number;
};

/** Judges an attempt; `now_us` is of the clock that never jumps. Notes in the lane how it went. */
export function settleSent(
  { sent, now_us, ...landed }: Landed & { readonly sent: Sent; readonly now_us: number },
  effects: Pick<Effects, "now_us" | "random">,
): Ended {
  const { lane, waiting } = landed;
  lane.note(waiting, { is_good: isAcknowledged(sent), now_us });
  const attempt = waiting.attempts + 1;
  const failing_us = now_us - (lane.failing_since_us ?? now_us);
  const place = { attempt, now_us: effects.now_us(), failing_us, chance: chanceOf(effects) };
  return endedOf(landed, { sent, verdict: judgeAttempt(sent, place) });
}

/** Ends a delivery whose event is no longer kept: there is nothing to send. */
export function settleGone(landed: Landed, effects: Pick<Effects, "now_us">): Ended {
  const reason = "the event is no longer kept";
  const sent = notSent(reason, effects);
  return endedOf(landed, { sent, verdict: { kind: "dead", reason } });
}

/** An attempt that was not made, and why. */
export function notSent(error: string, { now_us }: Pick<Effects, "now_us">): Sent {
  const nothing = { status: null, is_timeout: false, retry_after: null, address: null };
  return { ...nothing, sent_at: now_us(), took_ms: 0, error, answer: null };
}

function endedOf(
  { lane, waiting, at_us }: Landed,
  { sent, verdict }: Pick<Ended, "verdict"> & { readonly sent: Sent },
): Ended {
  const { delivery_no, attempts } = waiting;
  const { is_timeout: _, retry_after: __, ...logged } = sent;
  const state = verdict.kind === "acknowledged" || verdict.kind === "dead"
    ? verdict.kind
    : "pending";
  const settlement: Settlement = {
    delivery_no,
    state,
    attempts: attempts + 1,
    due_at: verdict.kind === "retry" ? at_us + verdict.wait_us : at_us,
    settled_at: state === "pending" ? null : at_us,
    attempt: { delivery_no, attempt: attempts + 1, ...logged },
  };
  return { lane, waiting, verdict, settlement };
}

function chanceOf(effects: Pick<Effects, "random">): number {
  return new DataView(effects.random(4).buffer).getUint32(0) / 2 ** 32;
}
