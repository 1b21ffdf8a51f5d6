// A world of a test's own: a clock that moves only when told, chance from a seed, no console.
import type { Effects } from "../../src/base/effects.ts";
import { LineFault } from "../../src/base/effects_line.ts";
import { startSelf } from "../../src/base/effects_self.ts";

/** A clock in a test's hand. */
export type Clock = {
  now_us: number;
  /** Moves time on and wakes every sleeper whose time has come. */
  advance(by_ms: number): void;
  /** Sets the wall clock forth or back: neither the monotonic clock nor sleepers see it. */
  step(by_ms: number): void;
};

/** Effects whose clock starts at `at` (ISO 8601), and everything that was printed. */
export function fakeEffects(at = "2026-06-01T12:00:00Z", seed = 1) {
  const sleepers = new Set<{ readonly until_us: number; readonly wake: () => void }>();
  const printed = { out: "", err: "" };
  const clock: Clock = {
    now_us: Date.parse(at) * 1000,
    advance(by_ms) {
      clock.now_us += by_ms * 1000;
      for (const sleeper of sleepers) if (sleeper.until_us <= monotonicUs()) sleeper.wake();
    },
    step(by_ms) {
      clock.now_us += by_ms * 1000;
      stepped_us += by_ms * 1000;
    },
  };
  let stepped_us = 0;
  const monotonicUs = () => clock.now_us - stepped_us;
  const effects: Effects = {
    now_us: () => clock.now_us,
    monotonic_ms: () => monotonicUs() / 1000,
    sleep: (wait_ms, ...signals) =>
      new Promise((resolve) => {
        const wake = () => {
          sleepers.delete(sleeper);
          for (const signal of signals) signal.removeEventListener("abort", wake);
          resolve();
        };
        const sleeper = { until_us: monotonicUs() + wait_ms * 1000, wake };
        if (signals.some(({ aborted }) => aborted) || wait_ms <= 0) return resolve();
        sleepers.add(sleeper);
        for (const signal of signals) signal.addEventListener("abort", wake);
      }),
    random: (count) =>
      Uint8Array.from({ length: count }, () => {
        seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
        return seed >>> 24;
      }),
    env: () => ({}),
    out: (text) => void (printed.out += text),
    write: (bytes) => void (printed.out += new TextDecoder().decode(bytes)),
    err: (text) => void (printed.err += text),
    log: (text) => void (printed.err += text),
    keys: async function* () {},
    columns: () => 0,
    request: () => Promise.reject(new Error("a test has no network")),
    addresses: () => ["127.0.0.1"],
    hostname: () => "test-host",
    notify: () => Promise.resolve(),
    post: () => Promise.reject(new Error("a test has no network")),
    connect: () => Promise.reject(new LineFault("unreachable", "a test has no network")),
    resolve: (host) => Promise.resolve([/^[\d.]+$/.test(host) ? host : "10.0.0.1"]),
    startSelf,
    owns: () => true,
  };
  return { effects, clock, printed };
}
