// The clock that leases are counted on: it goes on while the machine is suspended.
import type { Effects } from "../../base/effects.ts";
import { sinceStartMs } from "../core/c_library.ts";

/**
 * The same effects, whose clock that never jumps also counts the time in which the machine was
 * suspended, where the system tells it. What sleeps by it may sleep longer.
 */
export function onLeaseClock(effects: Effects, sinceStart = sinceStartMs): Effects {
  const [asleep_ms, awake_ms] = [sinceStart(), effects.monotonic_ms()];
  if (asleep_ms === undefined) return effects;
  return {
    ...effects,
    monotonic_ms: () => Math.max(effects.monotonic_ms(), awake_ms + sinceStart()! - asleep_ms),
  };
}
