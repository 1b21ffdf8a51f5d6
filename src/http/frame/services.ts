// What the routes work with: everything of the engine that a handler can reach.
import { Budget } from "../../base/budget.ts";
import type { Parts } from "../../engine/service/service.ts";

/** The parts of a service and what its HTTP face has beside them. */
export type Services = Parts & {
  /** What bodies of requests may hold in memory. */
  readonly budget: Budget;
};

/** Gives the parts what the routes need beside them. */
export function servicesOf(parts: Parts): Services {
  return { ...parts, budget: Budget.beside(parts.settings.memory_mb) };
}
