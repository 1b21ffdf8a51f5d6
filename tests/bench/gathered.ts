// What one row by minutes over sensors of three shards takes, or of one service with all of them:
//   deno run -A tests/bench/gathered.ts three 400 6     one or three; days, sensors
//
// Each is to be run in a process of its own, as its memory is the question: how much more than
// before the processes held at most (Linux, as root), all services of the fleet together.
import { createHash } from "node:crypto";
import type { Project, Sensor, Site } from "../../src/model/plant/plant.ts";
import { dayNumber } from "../../src/model/time/calendar.ts";
import { testFleet } from "../help/fleet.ts";
import { putPlant, testSensor } from "../help/reading.ts";
import { runQuery } from "../help/query.ts";
import { type TestService, testService } from "../help/service.ts";

const [where = "three", days = "400", count = "6", more = "include=matched"] = Deno.args;
const first_day = dayNumber("2024-01-01");
const shards = 3;
const sizes = { days: Number(days), sensors: Number(count) };

const projects = Array.from({ length: shards }, (_, i): Project => ({
  ...{ project_no: i + 1, id: `p${i + 1}`, key: `key-${i + 1}`, name: "P", timezone: "UTC" },
  ...{ organization_id: "org", portfolio: null },
}));
const sites = projects.map(({ project_no, id }): Site => ({
  ...{ site_no: project_no, project_no, id: `s-${id}`, key: `s-${id}`, name: "S" },
  ...{ latitude: 40, longitude: 0 },
}));
const sensors = Array.from({ length: sizes.sensors }, (_, i): Sensor => {
  const project_no = 1 + i % shards;
  return testSensor({
    ...{ sensor_no: i + 1, project_no, site_no: project_no },
    ...{ component: "met", measure: "ghi" },
  });
});

/** Puts the plants of some numbers there, with every minute of daylight. */
async function put({ services }: TestService, isOwn: (project_no: number) => boolean) {
  const own = <T extends { project_no: number }>(rows: readonly T[]) =>
    rows.filter(({ project_no }) => isOwn(project_no));
  await putPlant(services.database, {
    ...{ projects: own(projects), sites: own(sites), sensors: own(sensors) },
  });
  const numbers = own(sensors).map(({ sensor_no }) => sensor_no);
  await services.database.write(async ({ connection }) => {
    await runQuery(
      connection,
      `INSERT INTO reading BY NAME
      SELECT day, sensor_no, day * 1440 + minute AS minute, true AS light,
        500 + 400 * sin(minute / 100 + sensor_no) AS value, 600 + sin(minute) AS model
      FROM range($from_day::INTEGER, $to_day::INTEGER) AS days (day),
        unnest(string_split($numbers, ',')::INTEGER[]) AS sensors (sensor_no),
        range(360, 1080) AS minutes (minute)
      ORDER BY day, sensor_no, minute`,
      { from_day: first_day, to_day: first_day + sizes.days, numbers: numbers.join() },
    );
    // Which days have data.
    await connection.script(
      `INSERT INTO daily BY NAME
      SELECT day, sensor_no, true AS light, count(*)::INTEGER AS n, count(*)::INTEGER AS model_n
      FROM reading
      GROUP BY ALL`,
    );
  });
  await services.catalog.reload();
}

/** What of this process's memory the system says, in MB. */
async function memoryOf(name: "VmRSS" | "VmHWM"): Promise<number> {
  const text = await Deno.readTextFile("/proc/self/status");
  return Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)![1]) / 1024);
}

/** Lets the most be counted from now on. */
function countAnew(): Promise<void> {
  return Deno.writeTextFile("/proc/self/clear_refs", "5");
}

const to = new Date((first_day + sizes.days - 1) * 86_400_000).toISOString().slice(0, 10);
const path = `/platform/v1/performance-v2?project_ids=p1&project_ids=p2&project_ids=p3` +
  `&component=met&component_measure=ghi&dt_start=2024-01-01&dt_end=${to}` +
  `&time_interval=OneMinute&group_by=block_id&use_solar_bounds=false&format=arrow&${more}`;

async function measure(fetch: TestService["fetch"]): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await countAnew();
    const [before, start] = [await memoryOf("VmRSS"), performance.now()];
    const answer = await fetch(path);
    if (answer.status !== 200) throw new Error(await answer.text());
    let [first_ms, bytes] = [0, 0];
    const digest = createHash("sha256");
    for await (const piece of answer.body!) {
      first_ms ||= performance.now() - start;
      bytes += piece.length;
      digest.update(piece);
    }
    const taken_ms = performance.now() - start;
    const most = await memoryOf("VmHWM");
    const ms = `${Math.round(taken_ms)} ms (the first bytes after ${Math.round(first_ms)})`;
    // deno-lint-ignore no-console -- a command
    console.info(
      `${where}: ${(bytes / 1e6).toFixed(1)} MB in ${ms}; ${before} MB before, ` +
        `${most - before} MB more at most; ${digest.digest("hex").slice(0, 8)}`,
    );
  }
}

const at = "2026-06-02T00:00:00Z";
if (where === "one") {
  const single = await testService({ at });
  await put(single, () => true);
  await measure(single.fetch);
  await single.close();
} else {
  const fleet = await testFleet({ at, count: shards });
  for (const [i, shard] of fleet.shards.entries()) await put(shard, (no) => no === i + 1);
  await fleet.tell();
  await measure(fleet.fetch);
  await fleet.close();
}
