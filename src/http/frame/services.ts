// What the routes work with: everything of the engine that a handler can reach.
import type { Budget } from "../../base/budget.ts";
import type { Parts } from "../../engine/service/service.ts";
import type { Settings } from "../../model/setting.ts";

/** The parts of a running service, wired by `src/app.ts`. */
export type Services = Parts & {
  readonly settings: Pick<
    Settings,
    | "visible_after_ms"
    | "memory_mb"
    | "planned_off"
    | "webhook_allow"
    | "webhook_rotation_hours"
    | "webhook_keep_days"
    | "port"
    | "stop_grace_ms"
    | "signing_key_days"
  >;
  /** What bodies of requests may hold in memory. */
  readonly budget: Budget;
  /** The program's version, for the API description. */
  readonly version: string;
};
