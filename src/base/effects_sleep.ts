// Sleeps. Those that end at about the same instant share one timer, and those that one signal ends
// share one listener: a hundred devices are read in the same second. And giving way in long work.
import { setImmediate } from "node:timers";

/** What a timer takes: it does not wait at all where it is to wait longer. */
const longest_wait_ms = 2 ** 31 - 1;

/** Sleeps of `from_ms` and more end at multiples of `step_ms`, never before what was asked. */
const shared = { from_ms: 50, step_ms: 4 } as const;

type Timer = { readonly sleepers: Set<Sleeper>; readonly clear: () => void };
type Sleeper = {
  readonly timer: Timer;
  /** Held here, as Deno 2.7 forgets one that nothing but its listener holds. */
  readonly signals: readonly AbortSignal[];
  readonly resolve: () => void;
};

/** The timers that are shared, by the instant of the clock that never jumps. */
const timers = new Map<number, Timer>();

/** Who sleeps until a signal aborts. */
const by_signal = new WeakMap<AbortSignal, Set<Sleeper>>();

/** Resolves after `wait_ms`, 24 days at most, or at once when one of `signals` aborts. */
export function sleep(wait_ms: number, ...signals: AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    if (signals.some(({ aborted }) => aborted)) return resolve();
    const timer = wait_ms < shared.from_ms ? startTimer(wait_ms, () => {}) : sharedTimer(wait_ms);
    const sleeper = { timer, signals, resolve };
    timer.sleepers.add(sleeper);
    for (const signal of signals) sleepersOf(signal).add(sleeper);
  });
}

function sharedTimer(wait_ms: number): Timer {
  const { step_ms } = shared;
  const now_ms = performance.now();
  const instant_ms = Math.ceil((now_ms + wait_ms) / step_ms) * step_ms;
  const known = timers.get(instant_ms);
  if (known !== undefined) return known;
  const timer = startTimer(Math.ceil(instant_ms - now_ms), () => timers.delete(instant_ms));
  timers.set(instant_ms, timer);
  return timer;
}

function startTimer(wait_ms: number, ended: () => void): Timer {
  const sleepers = new Set<Sleeper>();
  const timer = setTimeout(() => {
    const woken = taken(sleepers);
    // A timer that is set in another timer's turn never fires on Deno 2.7 once native code ran.
    setImmediate(() => wake(woken));
  }, Math.min(wait_ms, longest_wait_ms));
  const clear = () => {
    clearTimeout(timer);
    ended();
  };
  return { sleepers, clear };
}

function sleepersOf(signal: AbortSignal): Set<Sleeper> {
  const known = by_signal.get(signal);
  if (known !== undefined) return known;
  const sleepers = new Set<Sleeper>();
  by_signal.set(signal, sleepers);
  signal.addEventListener("abort", () => wake(taken(sleepers)), { once: true });
  return sleepers;
}

/** The sleepers, who wait for nothing any more. */
function taken(sleepers: ReadonlySet<Sleeper>): readonly Sleeper[] {
  const woken = [...sleepers];
  for (const sleeper of woken) {
    const { timer, signals } = sleeper;
    for (const signal of signals) sleepersOf(signal).delete(sleeper);
    timer.sleepers.delete(sleeper);
    if (timer.sleepers.size === 0) timer.clear();
  }
  return woken;
}

function wake(sleepers: readonly Sleeper[]): void {
  for (const { resolve } of sleepers) resolve();
}

const calls = { usleep: { parameters: ["u32"], result: "i32", nonblocking: true } } as const;

/** How long another thread waits: sockets are looked at only where this one has to wait, too. */
const wait_us = 20;

/** How long work may go on before others have their turn. */
const turn_ms = 3;

const looked_rows = 256;

/** When this thread went on last after it had given way. */
let went_on_ms = -Infinity;

let wait: (() => Promise<unknown>) | undefined;

/**
 * Resolves when all that waits has had its turn: for long work that would never pause by itself.
 * Another thread's short wait takes a tenth of the two milliseconds that a timer takes.
 */
export async function giveWay(): Promise<void> {
  await (wait ??= waiter())();
  went_on_ms = performance.now();
}

/** Whether others may have waited for long: nothing has given way in the last milliseconds. */
export function isLongTurn(): boolean {
  return performance.now() - went_on_ms >= turn_ms;
}

/** The same, asked with the number of each row: the clock is looked at once in some hundred. */
export function isLongAt(row: number): boolean {
  return row > 0 && row % looked_rows === 0 && isLongTurn();
}

/** A timer where the C library is of another kind. */
function waiter(): () => Promise<unknown> {
  try {
    const { symbols } = Deno.dlopen("libc.so.6", calls);
    return () => symbols.usleep(wait_us);
  } catch {
    return () => sleep(0);
  }
}
