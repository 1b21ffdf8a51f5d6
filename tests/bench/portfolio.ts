// How long a portfolio of many plants in three shards takes, beside one service with all of them:
//   deno run -A tests/bench/portfolio.ts 1000 31     plants, days
//
// A row a plant, from its days. One request names as many plants as its address has room for.
import type { Project, Sensor, Site } from "../../src/model/plant/plant.ts";
import { dayNumber } from "../../src/model/time/calendar.ts";
import { request_limits } from "../../src/http/frame/limits.ts";
import { testFleet } from "../help/fleet.ts";
import { putPlant, putReadings, testSensor } from "../help/reading.ts";
import { type TestService, testService } from "../help/service.ts";

const [plants = 1000, days = 31] = Deno.args.map(Number);
const shards = 3;
const first_day = dayNumber("2026-05-01");

const projects = Array.from({ length: plants }, (_, i): Project => {
  const id = `019aa000-0000-7000-8000-${String(i).padStart(12, "0")}`;
  return {
    ...{ project_no: i + 1, id, key: `key-${i}`, name: `Plant ${i}`, timezone: "UTC" },
    ...{ organization_id: "org", portfolio: null },
  };
});
const sites = projects.map(({ project_no, id }): Site => ({
  ...{ site_no: project_no, project_no, id: `site-${id}`, key: `site-${id}`, name: "Site" },
  ...{ latitude: 30 + project_no / 100, longitude: 0 },
}));
const sensors = projects.map(({ project_no: no }): Sensor =>
  testSensor({
    ...{ sensor_no: no, project_no: no, site_no: no },
    ...{ component: "meter", measure: "active_power" },
  })
);

/** Puts the plants of some numbers there, with four minutes a day. */
async function put({ services }: TestService, isOwn: (project_no: number) => boolean) {
  const own = <T extends { project_no: number }>(rows: readonly T[]) =>
    rows.filter(({ project_no }) => isOwn(project_no));
  await putPlant(services.database, {
    ...{ projects: own(projects), sites: own(sites), sensors: own(sensors) },
  });
  const readings = own(sensors).flatMap(({ sensor_no }) =>
    Array.from({ length: 4 * days }, (_, i) => {
      const day = first_day + Math.floor(i / 4);
      const minute = day * 1440 + 600 + 60 * (i % 4);
      return { sensor_no, day, minute, light: true, value: sensor_no + i / 7, model: 1000 };
    })
  );
  await putReadings(services.database, readings);
  await services.catalog.reload();
}

/** The median of some rounds of all requests, the slowest of one request, and the rows in all. */
async function measure(title: string, fetch: TestService["fetch"]): Promise<void> {
  const room = Math.min(200, Math.floor((request_limits.url_bytes - 300) / 49));
  const rounds: number[] = [];
  let [slowest, rows] = [0, 0];
  for (let round = 0; round < 7; round++) {
    const start = performance.now();
    rows = 0;
    for (let from = 0; from < plants; from += room) {
      const names = projects.slice(from, from + room).map(({ id }) => `project_ids=${id}`);
      const began = performance.now();
      const answer = await fetch(
        `/platform/v1/performance-v2?${names.join("&")}&component=meter&format=csv` +
          "&component_measure=active_power&dt_start=2026-05-01&dt_end=2026-05-31" +
          "&time_interval=Full&group_by=project_id&include=matched",
      );
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(text);
      rows += text.trimEnd().split("\r\n").length - 1;
      if (round > 1) slowest = Math.max(slowest, performance.now() - began);
    }
    rounds.push(performance.now() - start);
  }
  const median = rounds.slice(2).toSorted((a, b) => a - b)[2];
  const memory = Math.round(Deno.memoryUsage().rss / 2 ** 20);
  const all = `${Math.round(median)} ms for ${rows} rows in ${Math.ceil(plants / room)} requests`;
  // deno-lint-ignore no-console -- a command
  console.info(`${title}: ${all}, the slowest ${Math.round(slowest)} ms; ${memory} MB`);
}

const at = "2026-06-02T00:00:00Z";
const single = await testService({ at });
await put(single, () => true);
await measure("one service", single.fetch);
await single.close();
const fleet = await testFleet({ at, count: shards });
for (const [i, shard] of fleet.shards.entries()) await put(shard, (no) => no % shards === i);
await fleet.tell();
await measure("three shards", fleet.fetch);
await fleet.close();
