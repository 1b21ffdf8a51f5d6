// Workloads W1 to W6: performance and signals read over HTTP from a server process.
import type { Database } from "../../src/store/database.ts";
import type { Server } from "../help/process.ts";
import { bestMs, type Figure } from "./figure.ts";
import { last_day, type World } from "./world.ts";
import { query } from "../help/query.ts";

/** How often a question is asked: its code is compiled while the first ones run. */
const warm_turns = 30;

/** What the database alone takes for the same questions, in milliseconds. */
export type ReadLimits = Readonly<
  Record<
    | "month_raw"
    | "month_daily"
    | "year_daily"
    | "projects_daily"
    | "day_raw"
    | "day_quarter"
    | "minutes"
    | "page",
    number
  >
>;

/** Asks the database itself: nothing around it, results as the binding gives them. */
export async function measureReadLimits(database: Database, { size }: World): Promise<ReadLimits> {
  const ask = (sql: string) =>
    bestMs(3, () => database.read((connection) => connection.chunk(query(sql))));
  const days = `day BETWEEN ${last_day - 29} AND ${last_day}`;
  const mean = "sum(value) / sum(n) AS value, sum(model) / sum(model_n) AS model";
  const raw = await ask(
    `SELECT day, sensor_no, avg(value) AS value, avg(model) AS model FROM reading WHERE light ` +
      "GROUP BY ALL",
  );
  return {
    month_raw: raw * 30 / size.minute_days,
    month_daily: await ask(
      `SELECT day, sensor_no, ${mean} FROM daily WHERE ${days} AND sensor_no <= 500 AND light ` +
        "GROUP BY ALL",
    ),
    year_daily: await ask(
      `SELECT day, sensor_no, ${mean} FROM daily WHERE sensor_no <= 500 AND light GROUP BY ALL`,
    ),
    projects_daily: await ask(
      "SELECT (sensor_no - 501) // 25 AS project, sum(value) / sum(n) AS value FROM daily " +
        "WHERE sensor_no BETWEEN 501 AND 1000 AND light GROUP BY ALL",
    ),
    day_raw: await ask(
      "SELECT minute // 15 AS quarter, sensor_no, avg(value) AS value, avg(model) AS model " +
        `FROM reading WHERE day = ${last_day} GROUP BY ALL`,
    ),
    day_quarter: await ask(
      `SELECT quarter, sensor_no, ${mean} FROM quarter WHERE day = ${last_day} GROUP BY ALL`,
    ),
    minutes: await ask("SELECT minute, sensor_no, value, model FROM reading"),
    page: await ask(
      "SELECT tag_no, ts, received_at, value, value_int, value_str, quality::INTEGER, " +
        `status_code FROM sample WHERE received_at >= ${last_day * 86_400_000_000} ` +
        "ORDER BY received_at, ts, tag_no LIMIT 100000",
    ),
  };
}

/** W1 to W6 against a running server. */
export async function* measureReads(
  server: Server,
  world: World,
  limits: ReadLimits,
): AsyncGenerator<Figure> {
  const client = new Reader(server, world);
  yield* performanceReads(client, limits);
  yield* await minuteStream(client, limits, { server, world });
  yield* signalPages(client, limits);
}

async function* performanceReads(client: Reader, limits: ReadLimits): AsyncGenerator<Figure> {
  const month = { dt_start: dateOf(last_day - 29), dt_end: dateOf(last_day) };
  const year = { dt_start: "2025-01-01", dt_end: "2025-12-31" };
  const w1 = await bestMs(
    warm_turns,
    () => client.performance({ ...month, time_interval: "OneDay" }),
  );
  yield {
    workload: "W1",
    what: "30 days by day and inverter, Arrow",
    ...{ value: w1, unit: "ms", target: "≤ 10 ms, ≤ 2× the bare query, ≥ 25× the raw scan" },
    limit: {
      what: `bare rollup query; raw scan ${limits.month_raw.toFixed(0)}`,
      value: limits.month_daily,
    },
    met: w1 <= 10 && w1 <= 2 * limits.month_daily && limits.month_raw >= 25 * w1,
  };
  for (const [format, target] of [["arrow", 60], ["ndjson", 150], ["parquet", 200]] as const) {
    const value = await bestMs(
      warm_turns,
      () => client.performance({ ...year, time_interval: "OneDay", format }),
    );
    yield {
      workload: "W2",
      what: `a year by day and inverter, ${format}`,
      ...{ value, unit: "ms", target: `≤ ${target} ms`, met: value <= target },
      limit: { what: "bare rollup query", value: limits.year_daily },
    };
  }
  const projects = Array.from({ length: 20 }, (_, i) => `p${i + 1}`);
  const w3 = await bestMs(
    warm_turns,
    () => client.performance({ ...year, time_interval: "Full", group_by: "project_id" }, projects),
  );
  yield {
    workload: "W3",
    what: "Full by project, 20 projects, a year",
    ...{ value: w3, unit: "ms", target: "≤ 15 ms", met: w3 <= 15 },
    limit: { what: "bare rollup query", value: limits.projects_daily },
  };
  const bare = limits.day_quarter.toPrecision(3);
  for (const use_solar_bounds of ["true", "false"]) {
    const day = { dt_start: dateOf(last_day), dt_end: dateOf(last_day), use_solar_bounds };
    const value = await bestMs(
      warm_turns,
      () => client.performance({ ...day, time_interval: "FifteenMinutes" }),
    );
    yield {
      workload: "W4",
      what: `quarter-hours of a day, daylight grid ${use_solar_bounds}`,
      ...{
        value,
        unit: "ms",
        target: "≤ 1.5× the raw scan",
        met: value <= 1.5 * limits.day_raw,
      },
      limit: { what: `raw scan; bare rollup query ${bare}`, value: limits.day_raw },
    };
  }
}

async function minuteStream(
  client: Reader,
  limits: ReadLimits,
  { server, world }: { readonly server: Server; readonly world: World },
): Promise<Figure[]> {
  const { minute_days } = world.size;
  const range = { dt_start: dateOf(last_day + 1 - minute_days), dt_end: dateOf(last_day) };
  const rows = minute_days * 1440 * 500;
  let first_byte = Infinity;
  const ms = await bestMs(3, async () => {
    const options = { ...range, time_interval: "OneMinute", use_solar_bounds: "false" };
    first_byte = Math.min(first_byte, await client.performance(options));
  });
  const memory = await peakMemoryMb(server.pid);
  const rate = rows / (ms / 1000);
  const what = `minutes, 500 inverters × ${minute_days} days`;
  return [{
    workload: "W5",
    what: `${what}, Arrow`,
    ...{ value: rate, unit: "rows/s", target: "≥ 12 M", met: rate >= 12e6 },
    limit: { what: "bare scan in columns", value: rows / (limits.minutes / 1000) },
  }, {
    workload: "W5",
    what: `${what}, first byte`,
    ...{ value: first_byte, unit: "ms", target: "≤ 20 ms", met: first_byte <= 20 },
  }, {
    workload: "W5",
    what: `${what}, peak memory of the process`,
    ...{ value: memory, unit: "MB", target: "≤ 500 MB", met: memory <= 500 },
  }];
}

async function* signalPages(client: Reader, limits: ReadLimits): AsyncGenerator<Figure> {
  for (const [format, target] of [["arrow", 50], ["ndjson", 70], ["parquet", 100]] as const) {
    const value = await bestMs(warm_turns, () =>
      client.get("/platform/v1/signals", [
        ["project_id", "p0"],
        ["received_since", new Date(last_day * 86_400_000).toISOString()],
        ["limit", "100000"],
        ["lane", "raw_signal"],
        ["resolution", "raw"],
        ["format", format],
      ]));
    yield {
      workload: "W6",
      what: `100 000 raw signals by watermark, ${format}`,
      ...{ value, unit: "ms", target: `≤ ${target} ms`, met: value <= target },
      limit: { what: "bare query in columns", value: limits.page },
    };
  }
}

/** A client that reads answers to their end. */
export class Reader {
  readonly server: Pick<Server, "address">;
  readonly world: Pick<World, "token">;

  constructor(server: Pick<Server, "address">, world: Pick<World, "token">) {
    this.server = server;
    this.world = world;
  }

  /** Inverters' power; gives the milliseconds to the first byte. */
  performance(
    params: Readonly<Record<string, string>>,
    projects: readonly string[] = ["p0"],
  ): Promise<number> {
    const all = { component: "inverter", component_measure: "active_power", ...params };
    const ids = projects.map((id): [string, string] => ["project_ids", id]);
    return this.get("/platform/v1/performance-v2", [...ids, ...Object.entries(all)]);
  }

  /** Reads a whole answer and throws it away; gives the milliseconds to its first byte. */
  async get(path: string, params: readonly (readonly [string, string])[]): Promise<number> {
    const query = new URLSearchParams(params.map(([name, value]) => [name, value]));
    const from = performance.now();
    const answer = await fetch(`${this.server.address}${path}?${query}`, {
      // As it is: packing is the client's choice, and would be most of what is measured.
      headers: { authorization: `Bearer ${this.world.token}`, "accept-encoding": "identity" },
    });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    let first = 0;
    for await (const _ of answer.body!) first ||= performance.now() - from;
    return first;
  }
}

/** The most memory that a process ever had. */
export async function peakMemoryMb(pid: number): Promise<number> {
  return await statusMb(pid, "VmHWM");
}

/** A line of a process's memory in MB. */
export async function statusMb(
  pid: number,
  name: "VmHWM" | "VmRSS" | "RssFile",
): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
}

/** A day since 1970 as `YYYY-MM-DD`. */
export function dateOf(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}
