// Doing one thing through the service at a time, and telling what came of it.
import { signal } from "@preact/signals";
import { Problem } from "../frame/api.ts";

/** Whether something is under way. */
export const is_acting = signal(false);

/** What the last action came to, or why it failed; undefined once that is of no interest. */
export const outcome = signal<string | Problem | undefined>(undefined);

/** Grows with everything that was done: what is listed is read again then. */
export const beat = signal(0);

/** Does some work, and tells `done` of it, or its failure. Gives what it gave; undefined: failed. */
export async function act<T>(
  work: () => Promise<T>,
  done: (result: T) => string,
): Promise<T | undefined> {
  if (is_acting.peek()) return undefined;
  is_acting.value = true;
  outcome.value = undefined;
  try {
    const result = await work();
    outcome.value = done(result);
    beat.value++;
    return result;
  } catch (error) {
    outcome.value = error instanceof Problem ? error : new Problem(0, "failed", String(error));
    return undefined;
  } finally {
    is_acting.value = false;
  }
}
