// Errors that nobody handled: where they were thrown, and which of them are mistakes of ours.

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

/** What the message of a failed assertion begins with. */
export const assertion_words = "assertion failed: ";
