// Doing one thing through the service at a time, and telling what came of it.
import { signal, useSignal } from "@preact/signals";
import { type Problem, problemOf } from "../frame/api.ts";

/** Whether something is under way. */
export const is_busy = signal(false);

/** What the last action came to, or why it failed; undefined once that is of no interest. */
export const last_outcome = signal<string | Problem | undefined>(undefined);

/** Grows with everything that was done: what is listed is read again then. */
export const beat = signal(0);

/** Does some work, and tells of it by `done`, or why it failed; then it gives undefined. */
export async function carryOut<T>(
  work: () => Promise<T>,
  done: (result: T) => string,
): Promise<T | undefined> {
  if (is_busy.peek()) return undefined;
  is_busy.value = true;
  last_outcome.value = undefined;
  try {
    const result = await work();
    last_outcome.value = done(result);
    beat.value++;
    return result;
  } catch (error) {
    last_outcome.value = problemOf(error);
    return undefined;
  } finally {
    is_busy.value = false;
  }
}

/** The way of one form to send what it holds, and how that went. */
export type Sending = {
  readonly is_sending: boolean;
  readonly problem: Problem | undefined;
  readonly send: (work: () => Promise<void>) => Promise<void>;
};

/** Sends one thing at a time, and keeps why the last one failed. */
export function useSending(): Sending {
  const is_sending = useSignal(false);
  const problem = useSignal<Problem | undefined>(undefined);
  return {
    is_sending: is_sending.value,
    problem: problem.value,
    async send(work) {
      if (is_sending.peek()) return;
      is_sending.value = true;
      problem.value = undefined;
      try {
        await work();
      } catch (error) {
        problem.value = problemOf(error);
      } finally {
        is_sending.value = false;
      }
    },
  };
}
