// What the service counts of its own work, in the form that Prometheus reads.
import { assert } from "../../base/assert.ts";
import type { Effects } from "../../base/effects.ts";

/** The media type of what `Metrics.print` gives. */
export const metrics_type = "text/plain; version=0.0.4; charset=utf-8";

/** Upper bounds of how long requests take, in seconds. */
const bounds_s = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60] as const;

/** Requests of one route: how many took no longer than each bound, all of them, and their time. */
type Durations = { readonly within: number[]; count: number; sum_s: number };

type Gauge = {
  readonly help: string;
  readonly read: () => Readings | Promise<Readings>;
  /** What it read last for each label: one that it has no more stays. */
  readonly last: Map<string, number>;
};

/** The service's metrics. */
export class Metrics {
  readonly #requests = new Map<string, number>();
  readonly #durations = new Map<string, Durations>();
  readonly #gauges = new Map<string, Gauge>();

  /** Counts one answered request. */
  countRequest(request: {
    readonly route: string;
    readonly status: number;
    readonly ending: string;
    readonly duration_ms: number;
  }): void {
    const { route, status, ending, duration_ms } = request;
    const labels = `{route="${route}",status="${status}",ending="${ending}"}`;
    this.#requests.set(labels, (this.#requests.get(labels) ?? 0) + 1);
    let durations = this.#durations.get(route);
    if (durations === undefined) {
      durations = { within: bounds_s.map(() => 0), count: 0, sum_s: 0 };
      this.#durations.set(route, durations);
    }
    const duration_s = duration_ms / 1000;
    durations.count++;
    durations.sum_s += duration_s;
    for (let at = bounds_s.length - 1; at >= 0 && duration_s <= bounds_s[at]; at--) {
      durations.within[at]++;
    }
  }

  /** A gauge whose values are read when they are asked for. */
  gauge(
    name: string,
    help: string,
    read: () => Readings | Promise<Readings>,
  ): void {
    assert(!this.#gauges.has(name), `two gauges are called ${name}`);
    this.#gauges.set(name, { help, read, last: new Map() });
  }

  /** What every gauge reads now, by its name. */
  async readings(): Promise<Readonly<Record<string, Readings>>> {
    const read = [...this.#gauges].map(async ([name, { read }]) => [name, await read()] as const);
    return Object.fromEntries(await Promise.all(read));
  }

  /** All of them as text. */
  async print(): Promise<string> {
    const gauges = await Promise.all([...this.#gauges].map(printGauge));
    return `${[this.#printRequests(), this.#printDurations(), ...gauges].join("\n\n")}\n`;
  }

  #printRequests(): string {
    const name = "http_requests_total";
    return block({ name, type: "counter" }, "Answered requests, by route, status and end.", [
      ...Array.from(this.#requests, ([labels, count]) => `${labels} ${count}`),
    ]);
  }

  #printDurations(): string {
    const name = "http_request_seconds";
    const help = "Time from the header of a request to the end of its answer.";
    const lines = [...this.#durations].flatMap(([route, { within, count, sum_s }]) => [
      ...within.map((until, at) => `_bucket{le="${bounds_s[at]}",route="${route}"} ${until}`),
      `_bucket{le="+Inf",route="${route}"} ${count}`,
      `_sum{route="${route}"} ${sum_s}`,
      `_count{route="${route}"} ${count}`,
    ]);
    return block({ name, type: "histogram" }, help, lines);
  }
}

async function printGauge([name, { help, read, last }]: [string, Gauge]): Promise<string> {
  for (const [of, value] of Object.entries(await read())) last.set(of, value);
  const lines = Array.from(
    last,
    ([of, value]) => `${of === "" ? "" : `{of="${escaped(of)}"}`} ${value}`,
  );
  return block({ name, type: "gauge" }, help, lines);
}

/** One metric: what it is, and lines that go on behind its name. */
function block(
  { name, type }: { readonly name: string; readonly type: "counter" | "gauge" | "histogram" },
  help: string,
  lines: readonly string[],
): string {
  const full = `wattkeeper_${name}`;
  return [
    `# HELP ${full} ${help}`,
    `# TYPE ${full} ${type}`,
    ...lines.map((line) => full + line),
  ].join("\n");
}

function escaped(label: string): string {
  return label.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
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
