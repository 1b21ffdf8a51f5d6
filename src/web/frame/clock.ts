// The moment that the screens show: now, or the one that the address names by `at`.
import { computed, signal } from "@preact/signals";
import { param, place } from "./place.ts";

/** The browser's clock, in milliseconds since 1970 UTC; it moves every second. */
export const now_ms = signal(Date.now());

/** The moment of the past that is looked at; undefined while it is now. */
export const at_ms = computed(() => {
  place.value;
  const at = Date.parse(param("at") ?? "");
  return Number.isFinite(at) ? Math.min(at, now_ms.peek()) : undefined;
});

/** The moment that is shown: nothing later may be. */
export const moment_ms = computed(() => at_ms.value ?? now_ms.value);

/** The same to the whole minute, for what need not be asked for again every second. */
export const moment_minute_ms = computed(() => Math.floor(moment_ms.value / 60_000) * 60_000);

/** Lets the clock run; not in a hidden window, which shows nothing. */
export function runClock(): void {
  const tick = () => {
    if (!document.hidden) now_ms.value = Date.now();
  };
  setInterval(tick, 1000);
  document.addEventListener("visibilitychange", tick);
}

/** Calls `then` after some time, once; the answer calls it off. */
export function after(wait_ms: number, then: () => void): () => void {
  const timer = setTimeout(then, wait_ms);
  return () => clearTimeout(timer);
}

/** Begins to measure; what it gives tells the milliseconds since. */
export function stopwatch(): () => number {
  const begun_ms = performance.now();
  return () => performance.now() - begun_ms;
}
