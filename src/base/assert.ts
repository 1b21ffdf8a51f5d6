// Our own mistakes: a condition that holds unless the program is wrong, and what tells them among
// errors that nobody handled.

/** What the message of a failed assertion begins with. */
const assertion_words = "assertion failed: ";

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

/** The place in the program where an error was thrown: the first line of its stack, or nothing. */
export function thrownAt({ stack = "" }: Error): string {
  const [first = ""] = /^ +at .*$/m.exec(stack) ?? [];
  return first;
}

/**
 * Whether an error is a mistake in this program, which may have left anything half done: what it
 * keeps in memory can't be trusted any more. A network or a package that fails is none.
 */
export function isMistake(error: unknown): boolean {
  if (!(error instanceof Error) || "code" in error) return false;
  if (error.message.startsWith(assertion_words)) return true;
  const is_kind = [TypeError, RangeError, ReferenceError].some((kind) => error instanceof kind);
  const at = thrownAt(error);
  return is_kind && at !== "" && !/ext:|node:|\/node_modules\/|<anonymous>/.test(at);
}
