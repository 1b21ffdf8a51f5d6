// The world as processes of a fleet have it: nothing goes out of a shard that is not certain of its
// lease, and leases are counted on a clock that goes on while the machine is suspended.
import { sinceStartMs } from "../../base/c_library.ts";
import type { Effects } from "../../base/effects.ts";
import { LineFault } from "../../base/effects_line.ts";

/** What is said of all that does not go out. */
export const withheld = "the shard may be another node's by now: nothing is sent";

/**
 * The same effects, which reach nobody while a lease is not certain: no request, no new connection,
 * no address of a name. On connections that are open, who sends asks `owns` first, as reading a
 * device does no harm, and what it says meanwhile would be lost.
 */
export function outwardEffects(
  effects: Effects,
  lease: { readonly is_certain: boolean },
): Effects {
  const owns = () => lease.is_certain;
  const fault = () => Promise.reject(new LineFault("forbidden", withheld));
  return {
    ...effects,
    owns,
    post: (post) => effects.post({ ...post, refuse: (it) => owns() ? post.refuse(it) : withheld }),
    request: (request) => owns() ? effects.request(request) : fault(),
    connect: (place) => owns() ? effects.connect(place) : fault(),
    resolve: (host) => owns() ? effects.resolve(host) : fault(),
  };
}

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
