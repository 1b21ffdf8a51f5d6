// What the service counts of its own work, in the form that Prometheus reads.
import type { Effects } from "../../base/effects.ts";
import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** The service's metrics; `registry` prints them. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests = new Counter({
    name: "wattkeeper_http_requests_total",
    help: "Answered requests, by route, status and end.",
    labelNames: ["route", "status", "ending"],
    registers: [this.registry],
  });
  readonly #durations = new Histogram({
    name: "wattkeeper_http_request_seconds",
    help: "Time from the header of a request to the end of its answer.",
    labelNames: ["route"],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [this.registry],
  });
  readonly #gauges = new Map<string, () => Readings | Promise<Readings>>();

  /** Counts one answered request. */
  countRequest(request: {
    readonly route: string;
    readonly status: number;
    readonly ending: string;
    readonly duration_ms: number;
  }): void {
    const { route, status, ending, duration_ms } = request;
    this.#requests.inc({ route, status, ending });
    this.#durations.observe({ route }, duration_ms / 1000);
  }

  /** A gauge whose values are read when they are asked for. */
  gauge(
    name: string,
    help: string,
    read: () => Readings | Promise<Readings>,
  ): void {
    this.#gauges.set(name, read);
    new Gauge({
      name: `wattkeeper_${name}`,
      help,
      labelNames: ["of"],
      registers: [this.registry],
      async collect() {
        for (const [of, value] of Object.entries(await read())) {
          if (of === "") this.set(value);
          else this.set({ of }, value);
        }
      },
    });
  }

  /** What every gauge reads now, by its name. */
  async readings(): Promise<Readonly<Record<string, Readings>>> {
    const read = [...this.#gauges].map(async ([name, read]) => [name, await read()] as const);
    return Object.fromEntries(await Promise.all(read));
  }
}

/** Values of a gauge by label; the label "" is none. */
export type Readings = Readonly<Record<string, number>>;

/** The readings that are not null. */
export function known(readings: Readonly<Record<string, number | null>>): Readings {
  return Object.fromEntries(
    Object.entries(readings).flatMap(([label, value]) => value === null ? [] : [[label, value]]),
  );
}

/**
 * A function that gives what `make` gave when it was last begun, for as long as that is younger
 * than `age_ms`; then it is made again, by one caller at a time for all who ask meanwhile. What
 * `make` throws is thrown to all of them.
 */
export function recent<T>(
  make: () => Promise<T>,
  { age_ms, effects }: {
    readonly age_ms: number;
    readonly effects: Pick<Effects, "monotonic_ms">;
  },
): () => Promise<T> {
  let value: Promise<T> | undefined;
  let begun_ms = 0;
  let is_making = false;
  return () => {
    const is_fresh = is_making || effects.monotonic_ms() - begun_ms < age_ms;
    if (value && is_fresh) return value;
    is_making = true;
    begun_ms = effects.monotonic_ms();
    return value = make().finally(() => is_making = false);
  };
}
