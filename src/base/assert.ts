// Our own mistakes: a condition that holds unless the program is wrong.
import { assertion_words } from "./mistake.ts";

/**
 * Throws when `condition` is false: a bug of ours, never a caller's mistake (that is a `Fault`).
 */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(assertion_words + message);
}

/** Marks a place that an exhaustive switch can't reach. */
export function unreachable(value: never): never {
  throw new Error(`${assertion_words}unreachable: ${String(value)}`);
}
