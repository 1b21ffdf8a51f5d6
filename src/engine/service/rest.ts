// Gives memory back in quiet moments: what a load took, or the start.
import type { Effects } from "../../base/effects.ts";
import type { Database } from "../../store/database.ts";
import { Loop } from "../core/loop.ts";
import type { OwnProcess } from "../core/process.ts";
import { service_limits } from "./limits.ts";

type Parts = {
  readonly database: Pick<Database, "dropCache">;
  readonly effects: Pick<Effects, "sleep">;
  readonly process: OwnProcess;
};

/**
 * Looks every few seconds. A moment is quiet when the process has hardly worked since the last
 * look. Nothing is given back until memory has grown since it was: what is cached is of use.
 */
export function restLoop({ database, effects, process }: Parts): Loop {
  let seen_ms = process.cpu_ms();
  let rested_mb = 0;
  const turn = async () => {
    const worked_ms = process.cpu_ms() - seen_ms;
    const is_quiet = worked_ms <= service_limits.quiet_cpu_ms;
    if (is_quiet && process.memory_mb() > rested_mb + service_limits.kept_mb) {
      process.collectGarbage();
      await database.dropCache();
      process.trim();
      rested_mb = process.memory_mb();
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
