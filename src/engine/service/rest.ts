// Gives memory back: in quiet moments all that a load took, under load what is not in use.
import type { Effects } from "../../base/effects.ts";
import type { Database } from "../../store/database.ts";
import { Loop } from "../core/loop.ts";
import type { OwnProcess } from "../core/process.ts";
import { service_limits } from "./limits.ts";

type Parts = {
  readonly database: Pick<Database, "dropCache">;
  readonly effects: Pick<Effects, "sleep" | "monotonic_ms">;
  readonly process: OwnProcess;
};

/**
 * Looks every few seconds. A moment is quiet when the process has hardly worked since the last
 * look. Nothing is given back until memory has grown since it was: what is cached is of use. Under
 * a load that never ends, caches stay, and the rest is given back every few minutes.
 */
export function restLoop({ database, effects, process }: Parts): Loop {
  let seen_ms = process.cpu_ms();
  // What was left after each kind of rest.
  const left_mb = { quiet: 0, busy: 0 };
  let rested_ms = effects.monotonic_ms();
  const turn = async () => {
    const worked_ms = process.cpu_ms() - seen_ms;
    const kind = worked_ms <= service_limits.quiet_cpu_ms ? "quiet" : "busy";
    const is_due = kind === "quiet" ||
      effects.monotonic_ms() - rested_ms >= service_limits.busy_rest_ms;
    if (is_due && process.memory_mb() > left_mb[kind] + service_limits.kept_mb) {
      process.collectGarbage();
      if (kind === "quiet") await database.dropCache();
      process.trim();
      left_mb[kind] = process.memory_mb();
      rested_ms = effects.monotonic_ms();
    }
    seen_ms = process.cpu_ms();
    return service_limits.rest_look_ms;
  };
  return new Loop({
    name: "giving memory back",
    effects,
    first_ms: service_limits.rest_look_ms,
    retry_ms: service_limits.rest_look_ms,
    turn,
  });
}
