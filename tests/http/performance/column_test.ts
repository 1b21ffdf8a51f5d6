// Tests columns= and include=ts_utc: some columns of an answer, and when its buckets start.
import { deepEqual, equal, match } from "node:assert/strict";
import { tableFromIPC } from "apache-arrow";
import { testService } from "../../help/service.ts";

const hour_ms = 3_600_000;

/** A plant in Madrid and one in Denver, an inverter each, sampled over a day at a spacing. */
async function opened(
  { from, spacing = 15, hours = 26 }: { from: string; spacing?: number; hours?: number },
) {
  const service = await testService({ at: "2026-12-01T00:00:00Z" });
  const zones = { m: "Europe/Madrid", d: "America/Denver" };
  for (const [key, timezone] of Object.entries(zones)) {
    const put = await service.fetch(`/admin/v1/sites/${key}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        version: 1,
        organization: { key: "o", name: "O" },
        project: { key, name: key, timezone },
        site: { key, name: key, latitude: 40, longitude: key === "m" ? -3 : -105 },
        devices: [{ key: "i", type: "inverter" }],
        sensors: [{ tag: "p", device: "i", measure: "active_power", capacity: 1000 }],
      }),
    });
    equal(put.status, 200, await put.text());
  }
  const [m, d] = service.services.catalog.projects.map(({ id }) => id);
  const first_ms = Date.parse(from);
  const samples = Array.from({ length: hours * 60 / spacing }, (_, i) => (
    { tag: "p", ts: new Date(first_ms + i * spacing * 60_000).toISOString(), value: i }
  ));
  for (const project_id of [m, d]) {
    const post = await service.fetch(`/ingest/v1/signals?project_id=${project_id}`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: samples.map((row) => JSON.stringify(row)).join("\n"),
    });
    equal(post.status, 200, await post.text());
  }
  await service.settle();
  const get = (path: string, projects: readonly string[], more = "") =>
    service.fetch(
      `/platform/v1/${path}?${projects.map((id) => `project_ids=${id}`).join("&")}${more}`,
    );
  return { ...service, get, m, d };
}

const power = "&component=inverter&component_measure=active_power&use_solar_bounds=false";
const of_day = (day: string) => `&dt_start=${day}&dt_end=${day}`;

type Row = { readonly ts: string; readonly ts_utc: string | null };

Deno.test("only the columns asked for come, in their order, in every format", async () => {
  const { get, m, close } = await opened({ from: "2026-06-01T00:00:00Z" });
  const asked = `${power}${of_day("2026-06-01")}&time_interval=OneHour`;
  const wanted = "&columns=sensor_value,ts&columns=hierarchy_id";
  const read = (format: string, columns = wanted) =>
    get("performance-v2", [m], `${asked}${columns}&format=${format}`);
  const whole: Record<string, unknown>[] = await (await read("json", "")).json();
  const rows = whole.map(({ sensor_value, ts, hierarchy_id }) => (
    { sensor_value, ts, hierarchy_id }
  ));
  equal(rows.length, 22, "the day began two hours before");
  const json = await (await read("json")).text();
  deepEqual(JSON.parse(json), rows);
  deepEqual(Object.keys(JSON.parse(json)[0]), ["sensor_value", "ts", "hierarchy_id"]);
  match(await (await read("csv")).text(), /^sensor_value,ts,hierarchy_id\r\n/);
  const arrow = tableFromIPC(await (await read("arrow")).bytes());
  deepEqual(arrow.schema.names, ["sensor_value", "ts", "hierarchy_id"]);
  equal(arrow.get(3)?.ts, rows[3].ts);
  equal((await (await read("ndjson")).text()).split("\n").length, 23);
  const parquet = await read("parquet");
  equal(new TextDecoder().decode((await parquet.bytes()).subarray(0, 4)), "PAR1");
  await close();
});

Deno.test("a column that the answer has not is refused with those that it has", async () => {
  const { get, m, close } = await opened({ from: "2026-06-01T00:00:00Z", hours: 1 });
  for (
    const [path, more, name] of [
      ["performance-v2", `${power}&time_interval=OneHour`, "sensor_valu"],
      ["performance-v2", `${power}&time_interval=OneHour`, "coverage"],
      ["availability", "", "ts_utc"],
      ["losses", "", "ts,x"],
    ]
  ) {
    const refused = await get(path, [m], `${more}${of_day("2026-06-01")}&columns=${name}`);
    equal(refused.status, 400);
    const { errors: [flaw] } = await refused.json();
    equal(flaw.path, "columns");
    match(flaw.message, /its columns are .*hierarchy_id/);
  }
  await close();
});

for (const spacing of [1, 5, 15]) {
  Deno.test(`both passes of the autumn hour differ, every ${spacing} min`, async () => {
    const { get, m, close } = await opened({ from: "2026-10-24T22:00:00Z", spacing });
    const read = async (interval: string): Promise<readonly Row[]> => {
      const more = `${power}${of_day("2026-10-25")}&time_interval=${interval}`;
      const answer = await get("performance-v2", [m], `${more}&include=ts_utc&format=json`);
      return await answer.json();
    };
    const hours = await read("OneHour");
    equal(hours.length, 25);
    equal(Object.keys(hours[0]).at(-1), "ts_utc");
    hours.forEach(({ ts_utc }, i) => {
      equal(Date.parse(ts_utc!), Date.parse("2026-10-24T22:00:00Z") + i * hour_ms);
    });
    deepEqual(hours.slice(2, 4), [
      { ...hours[2], ts: "2026-10-25 02:00:00", ts_utc: "2026-10-25T00:00:00.000000Z" },
      { ...hours[3], ts: "2026-10-25 02:00:00", ts_utc: "2026-10-25T01:00:00.000000Z" },
    ]);
    const quarters = await read("FifteenMinutes");
    equal(quarters.length, 100);
    equal(new Set(quarters.map(({ ts_utc }) => ts_utc)).size, 100);
    const [day] = await read("OneDay");
    deepEqual([day.ts, day.ts_utc], ["2026-10-25 00:00:00", "2026-10-24T22:00:00.000000Z"]);
    await close();
  });
}

Deno.test("in spring the skipped hour has no instant, a day its midnight", async () => {
  const { get, m, d, close } = await opened({ from: "2026-03-28T23:00:00Z", hours: 32 });
  const more = `${power}${of_day("2026-03-29")}&include=ts_utc&format=json`;
  const answer = await get("performance-v2", [m], `${more}&time_interval=OneHour`);
  const rows: readonly Row[] = await answer.json();
  deepEqual(rows.slice(1, 3).map(({ ts, ts_utc }) => [ts, ts_utc]), [
    ["2026-03-29 01:00:00", "2026-03-29T00:00:00.000000Z"],
    ["2026-03-29 03:00:00", "2026-03-29T01:00:00.000000Z"],
  ]);
  const figure = async (path: string, projects: readonly string[], group_by: string) => {
    const query = `${of_day("2026-03-29")}&include=ts_utc&format=json&group_by=${group_by}`;
    const rows: readonly Row[] = await (await get(path, projects, query)).json();
    return rows.map(({ ts_utc }) => ts_utc).toSorted();
  };
  const [madrid, denver] = ["2026-03-28T23:00:00.000000Z", "2026-03-29T06:00:00.000000Z"];
  for (const path of ["availability", "losses"]) {
    deepEqual(await figure(path, [m], "project_id"), [madrid]);
    deepEqual(await figure(path, [m, d], "project_id"), [madrid, denver]);
    deepEqual(await figure(path, [m, d], "block_id"), [null], "their midnights differ");
  }
  await close();
});

Deno.test("signals have the same, and none of it changes what was there", async () => {
  const { fetch, m, close } = await opened({ from: "2026-06-01T00:00:00Z", hours: 1 });
  const range = "&from=2026-06-01T00:00:00Z&to=2026-06-01T01:00:00Z&lane=raw_signal&format=json";
  const read = async (more: string) =>
    await (await fetch(`/platform/v1/signals?project_id=${m}${range}${more}`)).json();
  const [plain] = await read("");
  const [added] = await read("&include=ts_utc");
  deepEqual(added, { ...plain, ts_utc: plain.ts });
  const few = await read("&columns=value,ts&resolution=raw");
  deepEqual(few.map((it: { value: number }) => it.value), [0, 1, 2, 3]);
  deepEqual(Object.keys(few[0]), ["value", "ts"]);
  const some = await read("&include=stats&resolution=1m&columns=ts,percent_good");
  deepEqual(Object.keys(some[0]), ["ts", "percent_good"]);
  await close();
});
