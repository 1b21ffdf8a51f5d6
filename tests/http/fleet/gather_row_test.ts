// One row over the sensors of several shards, with all that it may include, is one service's.
import { Buffer } from "node:buffer";
import { deepEqual, equal, ok } from "node:assert/strict";
import type { ComponentName, MeasureName } from "../../../src/model/plant/measure.ts";
import type { Project, Sensor, Site } from "../../../src/model/plant/plant.ts";
import { singleAndFleet } from "../../help/fleet.ts";
import { putPlant, testSensor } from "../../help/reading.ts";
import type { TestService } from "../../help/service.ts";

const at = "2026-04-07T00:00:00Z";

/** Where each project lies: the first and the last in one shard. */
const shard_of = [1, 2, 3, 1];
const zones = ["America/Chicago", "Europe/Madrid", "Australia/Lord_Howe", "America/Chicago"];
const projects: readonly Project[] = zones.map((timezone, i) => ({
  ...{ project_no: i + 1, id: `p${i + 1}`, key: `key-${i + 1}`, name: `P ${i + 1}`, timezone },
  ...{ organization_id: "org", portfolio: "north" },
}));
const sites: readonly Site[] = projects.map(({ project_no }) => ({
  ...{ site_no: project_no, project_no, id: `s${project_no}`, key: `s${project_no}`, name: "S" },
  ...{ latitude: 40 - 20 * project_no, longitude: -87.6 },
}));

/** A measure of each way to combine sensors. None has a block. */
const kinds: readonly (readonly [ComponentName, MeasureName])[] = [
  ["meter", "active_power"],
  ["met", "ghi"],
  ["meter", "power_factor"],
  ["bess", "soc"],
  ["bess", "max_battery_temp"],
  ["bess", "min_temp"],
  ["meter", "operating_status"],
];

/** Of each kind one at every project, and one more at the first. */
const sensors: readonly Sensor[] = projects.flatMap(({ project_no }, i) =>
  kinds.flatMap(([component, measure], kind) =>
    [0, 1].slice(0, i === 0 ? 2 : 1).map((place) => {
      const sensor_no = 1 + (i * kinds.length + kind) * 2 + place;
      return testSensor({ sensor_no, project_no, site_no: project_no, component, measure }, {
        device_id: `device-${component}-${i}-${place}`,
        capacity: measure === "soc" ? 1000 / sensor_no : null,
        scale: measure === "ghi" ? 1.125 : 1,
      });
    })
  )
);

const from_ms = Date.parse("2026-04-04T00:00:00Z");

/**
 * Lines of samples of a lane: a day and an hour of them, of which some are missing or bad. Eighths
 * have the same sums in any order, as the roll-ups of a sensor add them up.
 */
function linesOf(project_no: number, lane: string): string {
  const every = lane === "signal" ? 17 : 40;
  const lines = sensors.filter((it) => it.project_no === project_no).flatMap(
    ({ sensor_no, measure }) =>
      Array.from({ length: Math.floor(1500 / every) }, (_, i) => {
        const minute = i * every + sensor_no % 5;
        const wave = Math.sin(sensor_no * 7 + minute / 90);
        const value = measure === "operating_status"
          ? Math.round(2 + wave)
          : Math.round(400 + 40 * wave) / 8;
        return {
          tag: `tag-${sensor_no}`,
          ts: new Date(from_ms + minute * 60_000).toISOString(),
          ...(lane === "forecast"
            ? { value, issued_at: new Date(from_ms - (project_no % 3) * 3_600_000).toISOString() }
            : i % 29 === 5 && lane === "signal"
            ? { quality: "bad" }
            : { value }),
        };
      }).filter((_, i) => (i * sensor_no) % 23 !== 1),
  );
  return lines.map((it) => JSON.stringify(it)).join("\n");
}

/** The same plants for a service: those whose shard it is. */
async function put({ services }: TestService, isOwn: (project_no: number) => boolean) {
  const own = <T extends { project_no: number }>(rows: readonly T[]) =>
    rows.filter(({ project_no }) => isOwn(project_no));
  const plant = { projects: own(projects), sites: own(sites), sensors: own(sensors) };
  await putPlant(services.database, plant);
  await services.catalog.reload();
}

type Fetch = TestService["fetch"];

async function send(fetch: Fetch): Promise<void> {
  for (const { project_no, id } of projects) {
    for (const lane of ["signal", "model", "forecast"]) {
      const answer = await fetch(`/ingest/v1/signals?project_id=${id}&lane=${lane}`, {
        method: "POST",
        headers: { "content-type": "application/x-ndjson" },
        body: linesOf(project_no, lane),
      });
      const said = await answer.json();
      equal(answer.status, 200, JSON.stringify(said));
      equal(said.rejected_count, 0, JSON.stringify(said.rejected?.[0]));
    }
  }
}

const everywhere = projects.map(({ id }) => `project_ids=${id}`).join("&");
const included = "include=matched&include=evidence&include=forecast&include=stats&include=ts_utc" +
  "&aggregate=time_weighted";

/** More cells than are asked for at once. */
const long = `/platform/v1/performance-v2?${everywhere}&component=met&component_measure=ghi` +
  "&dt_start=2026-02-18&dt_end=2026-04-05&time_interval=OneMinute&group_by=block_id&format=arrow" +
  "&include=matched&columns=ts,sensor_value,sensor_value_matched";

/** Questions whose rows are of sensors in all shards. */
const asked = kinds.flatMap(([component, measure], i) =>
  ["Full", i % 2 === 0 ? "OneHour" : "TenMinutes&use_solar_bounds=false"].map((interval) =>
    `/platform/v1/performance-v2?${everywhere}&component=${component}` +
    `&component_measure=${measure}&dt_start=2026-04-04&dt_end=2026-04-05` +
    `&time_interval=${interval}&group_by=block_id&format=csv&${included}`
  )
);

Deno.test("a row over sensors of three shards is one service's, to its last digit", async () => {
  const { single, fleet } = await singleAndFleet({ at, shard_of }, put);
  await send(single.fetch);
  await send(fleet.fetch);
  for (const service of [single, ...fleet.shards]) await service.services.roll.settle();
  for (const path of asked) {
    const [wanted, said] = [await single.fetch(path), await fleet.fetch(path)];
    const rows = await wanted.text();
    equal(await said.text(), rows, path);
    equal(said.status, 200, path);
    ok(rows.split("\r\n").length > 2, path);
  }
  const [wanted, said] = [await single.fetch(long), await fleet.fetch(long)];
  deepEqual([said.status, wanted.status], [200, 200]);
  ok(Buffer.from(await said.bytes()).equals(await wanted.bytes()));
  await fleet.close();
  await single.close();
});
