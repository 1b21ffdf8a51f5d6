// What a request costs that tells of days that wait: where none does, and where many do.
import { systemEffects } from "../../src/base/effects.ts";
import { dayNumber, dayText } from "../../src/model/time/calendar.ts";
import { putPlant, testSensor } from "../help/reading.ts";
import { runQuery } from "../help/query.ts";
import { testService } from "../help/service.ts";

const [tags, days] = Deno.args.length > 0 ? Deno.args.map(Number) : [2000, 365];
const first = dayNumber("2025-06-01");
const path = await Deno.makeTempFile({ suffix: ".duckdb" });
await Deno.remove(path);
const service = await testService({ path, at: "2026-06-20T12:00:00Z" });
const { database, catalog, roll } = service.services;
const project = { project_no: 1, id: "p", organization_id: "o", key: "p", name: "P" };
const site = { site_no: 1, project_no: 1, id: "s", key: "s", name: "S" };
const power = { component: "inverter", measure: "active_power" } as const;
await putPlant(database, {
  projects: [{ ...project, portfolio: null, timezone: "Europe/Madrid" }],
  sites: [{ ...site, latitude: 40, longitude: -4 }],
  sensors: Array.from(
    { length: tags },
    (_, i) => testSensor({ sensor_no: i + 1, project_no: 1, site_no: 1, ...power }),
  ),
});
await catalog.reload();

const span = `project_ids=p&dt_start=${dayText(first)}&dt_end=${dayText(first + days - 1)}`;
const asked = {
  list: `/platform/v1/performance/pending?${span}`,
  performance: `/platform/v1/performance-v2?${span}&component=inverter&time_interval=Full` +
    "&component_measure=active_power&group_by=project_id&use_solar_bounds=false&format=json",
};

/** Milliseconds of the middle one of a hundred requests, after ten. */
async function middleOf(path: string): Promise<string> {
  const times: number[] = [];
  for (let i = 0; i < 110; i++) {
    const from = performance.now();
    const answer = await service.fetch(path);
    await answer.body?.cancel();
    if (i >= 10) times.push(performance.now() - from);
  }
  return times.toSorted((a, b) => a - b)[times.length >> 1].toFixed(2);
}

async function measure(what: string): Promise<void> {
  for (const [name, path] of Object.entries(asked)) {
    systemEffects().out(`${what}, ${name}: ${await middleOf(path)} ms\n`);
  }
}

await service.settle();
await measure("none waits");
await database.write(async (write) => {
  await roll.markStale(write, []);
  const marked = "INSERT INTO stale SELECT t, d FROM range(1, $tags + 1) AS t(t), " +
    "range($first, $first + $days) AS d(d)";
  await runQuery(write.connection, marked, { tags, first, days });
});
await measure(`${days} days of ${tags} tags wait`);
await service.close();
await Deno.remove(path);
