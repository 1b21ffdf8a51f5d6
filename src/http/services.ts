// What the routes work with: everything of the engine that a handler can reach.
import type { Parts } from "../engine/service.ts";
import type { Settings } from "../model/setting.ts";

/** The parts of a running service, wired by `src/app.ts`. */
export type Services = Parts & {
  readonly settings: Pick<
    Settings,
    | "visible_after_ms"
    | "planned_off"
    | "webhook_allow"
    | "webhook_rotation_hours"
    | "webhook_keep_days"
    | "port"
    | "stop_grace_ms"
    | "signing_key_days"
  >;
  /** The program's version, for the API description. */
  readonly version: string;
};
