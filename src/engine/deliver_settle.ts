// What follows from an attempt, for its delivery and for its subscription.
import type { Effects } from "../base/effects.ts";
import { isAcknowledged, judgeAttempt, type Verdict } from "../model/retry.ts";
import type { Settlement } from "../store/delivery.ts";
import type { Lane } from "./deliver_lane.ts";
import type { Waiting } from "./deliver_queue.ts";
import type { Sent } from "./deliver_send.ts";

/** An attempt that ended, what follows, and how that is stored. */
export type Ended = {
  readonly lane: Lane;
  readonly waiting: Waiting;
  readonly verdict: Verdict;
  readonly settlement: Settlement;
};

/** Judges an attempt; `now_us` is of the clock that never jumps. Notes in the lane how it went. */
export function settleSent(
  { lane, waiting, sent, now_us }: {
    readonly lane: Lane;
    readonly waiting: Waiting;
    readonly sent: Sent;
    readonly now_us: number;
  },
  effects: Pick<Effects, "now_us" | "random">,
): Ended {
  lane.note(waiting, { is_good: isAcknowledged(sent), now_us });
  const attempt = waiting.attempts + 1;
  const failing_us = now_us - (lane.failing_since_us ?? now_us);
  const place = { attempt, now_us: effects.now_us(), failing_us, chance: chanceOf(effects) };
  return endedOf({ lane, waiting, sent, verdict: judgeAttempt(sent, place) }, place.now_us);
}

/** Ends a delivery whose event is no longer kept: there is nothing to send. */
export function settleGone(
  { lane, waiting }: Pick<Ended, "lane" | "waiting">,
  effects: Pick<Effects, "now_us">,
): Ended {
  const now_us = effects.now_us();
  const error = "the event is no longer kept";
  const nothing = { status: null, is_timeout: false, retry_after: null, address: null };
  const sent = { ...nothing, sent_at: now_us, took_ms: 0, error, answer: null };
  return endedOf({ lane, waiting, sent, verdict: { kind: "dead", reason: error } }, now_us);
}

function endedOf(
  { sent, ...ended }: Omit<Ended, "settlement"> & { readonly sent: Sent },
  now_us: number,
): Ended {
  const { waiting: { delivery_no, attempts }, verdict } = ended;
  const { is_timeout: _, retry_after: __, ...logged } = sent;
  const state = verdict.kind === "acknowledged" || verdict.kind === "dead"
    ? verdict.kind
    : "pending";
  const settlement: Settlement = {
    delivery_no,
    state,
    attempts: attempts + 1,
    due_at: verdict.kind === "retry" ? now_us + verdict.wait_us : now_us,
    settled_at: state === "pending" ? null : now_us,
    attempt: { delivery_no, attempt: attempts + 1, ...logged },
  };
  return { ...ended, settlement };
}

function chanceOf(effects: Pick<Effects, "random">): number {
  return new DataView(effects.random(4).buffer).getUint32(0) / 2 ** 32;
}
