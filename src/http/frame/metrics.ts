// What the service counts of its own work, in the form that Prometheus reads.

/** The media type of what `Metrics` prints. */
export const metrics_type = "text/plain; version=0.0.4; charset=utf-8";

/** Upper bounds of the durations that are counted together, in seconds. */
const bounds_s = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];

/** How long requests took: how many up to each bound and in all, and their sum in seconds. */
type Durations = { readonly up_to: number[]; count: number; sum_s: number };

type Labels = Readonly<Record<string, string | number>>;

/** The service's metrics. */
export class Metrics {
  /** How many requests were answered, by their printed labels. */
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
    const labels = labelText({ route, status, ending });
    this.#requests.set(labels, (this.#requests.get(labels) ?? 0) + 1);
    const durations = this.#durations.get(route) ??
      { up_to: bounds_s.map(() => 0), count: 0, sum_s: 0 };
    this.#durations.set(route, durations);
    const duration_s = duration_ms / 1000;
    for (const [i, bound_s] of bounds_s.entries()) {
      if (duration_s <= bound_s) durations.up_to[i]++;
    }
    durations.count++;
    durations.sum_s += duration_s;
  }

  /** A gauge whose values are read when they are asked for. */
  gauge(
    name: string,
    help: string,
    read: () => Readings | Promise<Readings>,
  ): void {
    this.#gauges.set(name, { help, read });
  }

  /** What every gauge reads now, by its name. */
  async readings(): Promise<Readonly<Record<string, Readings>>> {
    const read = [...this.#gauges].map(async ([name, { read }]) => [name, await read()] as const);
    return Object.fromEntries(await Promise.all(read));
  }

  /** Everything as text of the type `metrics_type`. */
  async print(): Promise<string> {
    const readings = await this.readings();
    const requests = familyText({
      name: "http_requests_total",
      help: "Answered requests, by route, status and end.",
      type: "counter",
      values: [...this.#requests].map(([labels, count]) => [labels, count]),
    });
    const durations = familyText({
      name: "http_request_seconds",
      help: "Time from the header of a request to the end of its answer.",
      type: "histogram",
      values: [...this.#durations].flatMap(([route, its]) => durationValues(route, its)),
    });
    const gauges = [...this.#gauges].map(([name, { help }]) => {
      const values = Object.entries(readings[name])
        .map(([of, value]) => [of === "" ? "" : labelText({ of }), value] as const);
      return familyText({ name, help, type: "gauge", values });
    });
    return `${[requests, durations, ...gauges].join("\n\n")}\n`;
  }
}

/** Values of a gauge by label; the label "" is none. */
export type Readings = Readonly<Record<string, number>>;

type Gauge = { readonly help: string; readonly read: () => Readings | Promise<Readings> };

/** Metrics of one name; each value has what follows the name. */
type Family = {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "histogram" | "gauge";
  readonly values: readonly (readonly [suffix: string, value: number])[];
};

function familyText({ name, help, type, values }: Family): string {
  const full = `wattkeeper_${name}`;
  const lines = values.map(([suffix, value]) => `${full}${suffix} ${value}`);
  return [`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`, ...lines].join("\n");
}

function durationValues(route: string, { up_to, count, sum_s }: Durations): Family["values"] {
  const all = labelText({ route });
  return [
    ...bounds_s.map((le, i) => [`_bucket${labelText({ le, route })}`, up_to[i]] as const),
    [`_bucket${labelText({ le: "+Inf", route })}`, count],
    [`_sum${all}`, sum_s],
    [`_count${all}`, count],
  ];
}

function labelText(labels: Labels): string {
  const texts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(`${value}`)}"`);
  return `{${texts.join()}}`;
}

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (character) => character === "\n" ? "\\n" : `\\${character}`);
}
