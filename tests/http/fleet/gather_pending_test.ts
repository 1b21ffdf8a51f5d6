// Days that wait to be computed again of projects in several shards are those of one service.
import { deepEqual, equal } from "node:assert/strict";
import type { Project } from "../../../src/model/plant/plant.ts";
import { dayNumber } from "../../../src/model/time/calendar.ts";
import { singleAndFleet } from "../../help/fleet.ts";
import { putDays, putInverters } from "../../help/inverter_day.ts";
import { runQuery } from "../../help/query.ts";

const header = "x-svc-pending-days";
const path = "/platform/v1/performance/pending";
const june = "dt_start=2026-06-01&dt_end=2026-06-30";
const inverters = "component=inverter&component_measure=active_power";

Deno.test("several shards say together what one service says", async () => {
  const shard_of = [1, 2, 3, 1];
  const projects = shard_of.map((_, i): Project => ({
    ...{ project_no: i + 1, id: `p${i + 1}`, key: `key-${i + 1}`, name: "P", portfolio: null },
    ...{ organization_id: "org", timezone: i === 1 ? "Asia/Tokyo" : "America/Chicago" },
  }));
  const sites = projects.map(({ project_no }) => ({
    ...{ site_no: project_no, project_no, id: `s${project_no}`, key: `s${project_no}`, name: "S" },
    ...{ latitude: 40, longitude: -88 },
  }));
  const day = dayNumber("2026-06-10");
  const { single, fleet } = await singleAndFleet(
    { at: "2026-06-20T12:00:00Z", shard_of },
    async ({ services: { database, catalog, roll } }, isHere) => {
      const own = projects.filter(({ project_no }) => isHere(project_no));
      const inverters = own.map(({ project_no: no }) => (
        { no, project_no: no, site_no: no, capacity: 1e5 }
      ));
      const here = sites.filter(({ project_no }) => isHere(project_no));
      await putInverters(database, { projects: own, sites: here, inverters });
      await putDays(database, inverters.map(({ no }) => ({ no, day, daylight_s: 36_000 })));
      await catalog.reload();
      // The third has none that wait.
      for (const { no } of inverters.filter(({ no }) => no !== 3)) {
        await database.write(async (write) => {
          await roll.markStale(write, [no]);
          await runQuery(write.connection, "INSERT INTO stale VALUES ($no, $day)", { no, day });
        });
      }
    },
  );
  const [all] = [projects.map(({ id }) => `project_ids=${id}`).join("&")];
  const list = `${path}?${all}&${june}`;
  const wanted = await (await single.fetch(list)).json();
  deepEqual(wanted.map((row: { project_id: string }) => row.project_id), ["p1", "p2", "p4"]);
  deepEqual(await (await fleet.fetch(list)).json(), wanted);
  const bothTell = async (query: string, days: string | null) => {
    for (const { fetch } of [single, fleet]) {
      const answer = await fetch(query);
      equal(answer.status, 200, await answer.text());
      equal(answer.headers.get(header), days, query);
    }
  };
  for (
    const noun of [`performance-v2?${inverters}&time_interval=OneDay`, "losses?", "availability?"]
  ) {
    for (const [asked, days] of [[all, "6"], ["project_ids=p2", "2"], ["project_ids=p3", null]]) {
      await bothTell(`/platform/v1/${noun}&${asked}&${june}`, days);
    }
  }
  // So many minutes that shards are asked first which days have any.
  const minutes = "time_interval=OneMinute&use_solar_bounds=false&dt_start=2025-07-01";
  const year = `${inverters}&${all}&${minutes}&dt_end=2026-06-30`;
  await bothTell(`/platform/v1/performance-v2?${year}`, "6");
  await fleet.close();
  await single.close();
});
