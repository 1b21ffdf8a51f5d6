// What a bench measures: the best of some runs, beside a limit of the same run, against a target.

/** One measured thing. */
export type Figure = {
  readonly workload: string;
  readonly what: string;
  readonly value: number;
  readonly unit: "ms" | "rows/s" | "values/s" | "/s" | "MB" | "cores" | "bytes/value";
  /** What the machine could do at best, measured in the same run and in the same unit. */
  readonly limit?: { readonly what: string; readonly value: number };
  readonly target: string;
  readonly met: boolean;
};

/** The shortest of `runs` runs of `work`, in milliseconds. */
export async function bestMs(runs: number, work: () => Promise<unknown>): Promise<number> {
  let best = Infinity;
  for (let run = 0; run < runs; run++) {
    const from = performance.now();
    await work();
    best = Math.min(best, performance.now() - from);
  }
  return best;
}

/** A figure as one line of the table. */
export function lineOf({ workload, what, value, unit, limit, target, met }: Figure): string {
  const beside = limit
    ? `limit ${print(limit.value)} (${limit.what}), ratio ${(value / limit.value).toFixed(2)}`
    : "";
  const measured = `${print(value)} ${unit}`.padStart(18);
  const verdict = met ? "met" : "NOT MET";
  return `${workload.padEnd(4)}${
    what.padEnd(46)
  }${measured}  target ${target}: ${verdict}  ${beside}`;
}

function print(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}
