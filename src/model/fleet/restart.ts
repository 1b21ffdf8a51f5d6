// When the process of a shard is started again that ended, and when another node is to try.
import { fleet_limits } from "./limits.ts";

/** Ends of a shard's process that came one soon after the other. */
export type Failing = {
  /** How many there were; 0 after one that had answered for long. */
  readonly count: number;
  /** When the first of them was begun. */
  readonly since_ms: number;
  /** When it is started again. */
  readonly again_ms: number;
};

/** The same after one more end, of a process that answered since `up_ms`, or never did. */
export function failedOnceMore(
  before: Failing | undefined,
  { now_ms, begun_ms, up_ms }: {
    readonly now_ms: number;
    readonly begun_ms: number;
    readonly up_ms: number | undefined;
  },
): Failing {
  if (isSteady(up_ms, now_ms)) return { count: 0, since_ms: now_ms, again_ms: now_ms };
  const { count, since_ms } = before ?? { count: 0, since_ms: begun_ms };
  const { restart_ms, restart_most_ms } = fleet_limits;
  const pause_ms = Math.min(restart_ms * 2 ** count, restart_most_ms);
  return { count: count + 1, since_ms, again_ms: now_ms + pause_ms };
}

/** Whether who tried in vain before it may have it again: it has answered for so long. */
export function isForgotten(up_ms: number | undefined, now_ms: number): boolean {
  return up_ms !== undefined && now_ms - up_ms >= fleet_limits.forget_ms;
}

/** Whether a process has answered for so long that it is not about to end as the one before. */
export function isSteady(up_ms: number | undefined, now_ms: number): boolean {
  return up_ms !== undefined && now_ms - up_ms >= fleet_limits.steady_ms;
}

/** Whether none has stayed up for so long that another node is to try. */
export function isStuck({ since_ms }: Failing, now_ms: number): boolean {
  return now_ms - since_ms >= fleet_limits.stuck_ms;
}
