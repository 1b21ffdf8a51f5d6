// Workloads A1 to A3: availability and losses of 500 inverters over a year, read over HTTP.
import type { Database } from "../../src/store/database.ts";
import type { Server } from "../help/process.ts";
import { bestMs, type Figure } from "./figure.ts";
import { Reader } from "./read.ts";
import type { World } from "./world.ts";
import { query } from "../help/query.ts";

/** What the database alone takes for the same sums, in milliseconds. */
export type AvailabilityLimits = Readonly<
  Record<"by_month" | "by_inverter" | "by_day" | "losses", number>
>;

/** Asks the database itself: nothing around it, results as the binding gives them. */
export async function measureAvailabilityLimits(database: Database): Promise<AvailabilityLimits> {
  const ask = (key: string, sums: string) =>
    bestMs(
      5,
      () =>
        database.read((connection) =>
          connection.chunk(
            query(`SELECT ${key}, ${sums} FROM inverter_day WHERE sensor_no <= 500 GROUP BY ALL`),
          )
        ),
    );
  const month = "date_trunc('month', make_date(day)) :: VARCHAR AS month";
  const basis = "sum(basis_s * 100) AS c, sum(unavailable_s * 100) AS u";
  const energies = ["expected", "produced", "unavailable", "curtailed", "clipped"]
    .map((name) => `sum(${name}_wh) AS ${name}`).join(", ");
  return {
    by_month: await ask(month, basis),
    by_inverter: await ask(`${month}, sensor_no`, basis),
    by_day: await ask("day, sensor_no", basis),
    losses: await ask(month, energies),
  };
}

/** A1 to A3 against a running server. */
export async function* measureAvailability(
  server: Server,
  world: World,
  limits: AvailabilityLimits,
): AsyncGenerator<Figure> {
  const client = new Reader(server, world);
  const ask = (path: string, more: Readonly<Record<string, string>>) =>
    bestMs(10, () =>
      client.get(`/platform/v1/${path}`, [
        ["project_ids", "p0"],
        ["dt_start", "2025-01-01"],
        ["dt_end", "2025-12-31"],
        ...Object.entries(more),
      ]));
  const plant = { time_interval: "OneMonth", group_by: "project_id" };
  const inverters = { time_interval: "OneMonth", group_by: "hierarchy_id" };
  for (
    const [workload, what, value, limit, target] of [
      [
        "A1",
        "availability, a year by month",
        await ask("availability", plant),
        limits.by_month,
        20,
      ],
      [
        "A2",
        "availability, a year by month and inverter",
        await ask("availability", inverters),
        limits.by_inverter,
        20,
      ],
      [
        "A2",
        "availability, a year by day and inverter",
        await ask("availability", {}),
        limits.by_day,
        60,
      ],
      ["A3", "losses, a year by month", await ask("losses", plant), limits.losses, 20],
    ] as const
  ) {
    yield {
      ...{ workload, what, value, unit: "ms", target: `≤ ${target} ms`, met: value <= target },
      limit: { what: "bare sum over days", value: limit },
    };
  }
}
