// Workload W12: everything at once, each kind of request beside itself alone.
import type { Server } from "../help/process.ts";
import type { Figure } from "./figure.ts";
import { dateOf, Reader } from "./read.ts";
import { last_day, type World } from "./world.ts";

/** One kind of request: how it is made, and how often. */
type Work = { readonly every_ms: number; readonly run: () => Promise<unknown> };

const alone_s = 10;
const body_rows = 5_000;

/** W12 against a running server: each kind of request alone, then all of them for some seconds. */
export async function* measureTogether(
  server: Server,
  world: World,
  seconds: number,
): AsyncGenerator<Figure> {
  const works = worksOf(server, world);
  const alone: Record<string, readonly number[]> = {};
  for (const [name, work] of Object.entries(works)) alone[name] = await repeat(work, alone_s);
  const together = await Promise.all(
    Object.entries(works).map(async ([name, work]) => [name, await repeat(work, seconds)] as const),
  );
  for (const [name, waits] of together) {
    const [value, limit] = [percentile(waits, 0.99), percentile(alone[name], 0.99)];
    yield {
      workload: "W12",
      what: `${name}, 99 % of ${waits.length}, beside all else`,
      ...{ value, unit: "ms", target: "≤ 3× alone", met: value <= 3 * limit },
      limit: { what: "alone", value: limit },
    };
    if (name !== "20 000 values/s") continue;
    const slowest = percentile(waits, 1);
    yield {
      workload: "W12",
      what: "slowest acknowledgement beside all else",
      ...{ value: slowest, unit: "ms", target: "≤ 300 ms", met: slowest <= 300 },
      limit: { what: "alone", value: percentile(alone[name], 1) },
    };
  }
}

function worksOf(server: Server, world: World): Readonly<Record<string, Work>> {
  const reader = new Reader(server, world);
  const headers = { authorization: `Bearer ${world.token}` };
  const of_plant = [["project_id", "p0"]] as const;
  const send = async () => {
    const ts = new Date().toISOString();
    const rows = Array.from(
      { length: body_rows },
      (_, i) => `{"tag":"all.${i}","ts":"${ts}","value":${i / 7}}`,
    );
    const path = `${server.address}/ingest/v1/signals?project_id=p0`;
    const answer = await fetch(path, {
      method: "POST",
      headers: { ...headers, "content-type": "application/x-ndjson" },
      body: rows.join("\n"),
    });
    const { accepted } = await answer.json();
    if (accepted !== body_rows) throw new Error(`${answer.status}, ${accepted} accepted`);
  };
  const month = { dt_start: dateOf(last_day - 29), dt_end: dateOf(last_day) };
  const day = { dt_start: dateOf(last_day), dt_end: dateOf(last_day) };
  return {
    "20 000 values/s": { every_ms: 250, run: send },
    "a month by day": {
      every_ms: 500,
      run: () => reader.performance({ ...month, time_interval: "OneDay" }),
    },
    "a day's quarter-hours": {
      every_ms: 500,
      run: () => reader.performance({ ...day, time_interval: "FifteenMinutes" }),
    },
    "the active alarms": {
      every_ms: 500,
      run: () => reader.get("/platform/v1/alarms", [...of_plant, ["active", "true"]]),
    },
    "the newest values": {
      every_ms: 500,
      run: () => reader.get("/platform/v1/signals/latest", of_plant),
    },
    "a project list": { every_ms: 200, run: () => reader.get("/platform/v1/meta/projects", []) },
  };
}

/** One client that has a request to make at each beat; gives how long each one waited. */
async function repeat({ every_ms, run }: Work, seconds: number): Promise<readonly number[]> {
  await run();
  const waits: number[] = [];
  const from_ms = performance.now();
  for (let beat = 0; beat * every_ms < seconds * 1000; beat++) {
    const due_ms = from_ms + beat * every_ms;
    const early_ms = due_ms - performance.now();
    if (early_ms > 0) await new Promise((resolve) => setTimeout(resolve, early_ms));
    await run();
    // Where the one before was late, this one has waited since its beat.
    waits.push(performance.now() - due_ms);
  }
  return waits;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))];
}
