// Waits for what real threads, files and sockets bring to a test, however slow the machine is.
import { setImmediate } from "node:timers";
import { sleep } from "../../src/base/effects_sleep.ts";
import type { Clock } from "./effects.ts";

/** What has not come by then never will. */
const patience_ms = 60_000;

/**
 * Looks again and again until something holds. Between two looks `meanwhile` is done, and all that
 * waits has its turn. Fails when it never holds.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  { what = "what was waited for", meanwhile = () => {} }: {
    readonly what?: string;
    readonly meanwhile?: () => void;
  } = {},
): Promise<void> {
  const end_ms = performance.now() + patience_ms;
  while (!await holds()) {
    if (performance.now() > end_ms) throw new Error(`${what} never came`);
    meanwhile();
    await aTurn();
  }
}

/**
 * Lets all that waits have its turn, for as long as a timer takes: the clock of a test is not to
 * run away from real threads, files and sockets.
 */
export const aTurn = () => sleep(0);

/** Lets all that waits for nothing outside the program have so many turns, without a timer. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** Lets a clock pass step by step, `most_ms` in all: it does not run away from what is slow. */
export function passing(
  clock: Clock,
  { step_ms, most_ms }: { readonly step_ms: number; readonly most_ms: number },
): () => void {
  let passed_ms = 0;
  return () => {
    if (passed_ms >= most_ms) return;
    passed_ms += step_ms;
    clock.advance(step_ms);
  };
}
