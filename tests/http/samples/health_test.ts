// Sensors that are silent, stuck, dead or ahead of time, through HTTP, and how many are so.
import { deepEqual, equal, match } from "node:assert/strict";
import { Heads } from "../../../src/engine/samples/head.ts";
import { LatestValues } from "../../../src/engine/samples/latest.ts";
import { heardState } from "../../../src/model/samples/health.ts";
import { testService } from "../../help/service.ts";

const now = Date.parse("2026-06-01T20:00:00Z");
/** An instant some minutes before now. */
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
const shown = (minutes: number) => ago(minutes).replace(".000Z", ".000000Z");

const light = { device: "M", measure: "ghi" } as const;
const power = { device: "I", measure: "active_power", scale: 1000 } as const;
const spacings = [1, 5, 15] as const;

/** What each tag sends: minutes before now, from the first to the last, and the value of each. */
const told = {
  well: [power, [40, 0, 1], (minute: number) => minute],
  at_edge: [power, [40, 15, 1], (minute: number) => minute],
  quiet: [power, [40, 16, 1], (minute: number) => minute],
  never: [power, [0, 1, 1], () => 0],
  soon: [power, [10, -1, 1], (minute: number) => minute],
  ahead: [power, [10, -2, 1], (minute: number) => minute],
  hourly: [{ ...power, interval_s: 3600 }, [180, 120, 60], () => 5],
  still_air: [{ device: "M", measure: "ambient_temp" }, [120, 0, 5], () => 20],
  dim: [{ device: "M", measure: "dhi" }, [120, 0, 5], (minute: number) => 6 + minute],
  moving: [light, [120, 0, 5], (minute: number) => 640 + minute],
  short: [light, [120, 0, 1], (minute: number) => minute > 24 ? 700 + minute : 640],
  stuck_1: [light, [180, 0, 1], (minute: number) => minute > 60 ? 700 + minute : 640],
  stuck_5: [light, [180, 0, 5], (minute: number) => minute > 60 ? 700 + minute : 640],
  stuck_15: [light, [180, 0, 15], (minute: number) => minute > 60 ? 700 + minute : 640],
  dead: [light, [120, 0, 5], (minute: number) => minute > 45 ? 700 + minute : minute % 4],
  direct: [{ device: "M", measure: "dni" }, [120, 0, 5], () => 0],
  days: [light, [3000, 0, 15], (minute: number) => minute > 2880 ? 800 : 640],
} as const;

async function open() {
  const service = await testService({ at: ago(0) });
  const tags = Object.entries(told);
  const site = {
    version: 1,
    organization: { key: "o", name: "O" },
    project: { key: "p", name: "P", timezone: "UTC" },
    site: { key: "s", name: "S", latitude: 35.05, longitude: -106.54 },
    devices: [{ key: "I", type: "inverter", name: "Inverter 1" }, { key: "M", type: "met" }],
    sensors: tags.map(([tag, [more]]) => ({
      ...{ tag, ...more },
      ...(tag === "hourly" ? { measure: "energy", accumulation: "interval" } : {}),
    })),
  };
  const applied = await service.fetch("/admin/v1/sites/s", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(site),
  });
  equal(applied.status, 200, await applied.text());
  const [{ id }] = service.services.catalog.projects;
  const send = async (samples: readonly object[]) => {
    const response = await service.fetch(`/ingest/v1/signals?project_id=${id}`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: samples.map((sample) => JSON.stringify(sample)).join("\n"),
    });
    equal(response.status, 200, await response.text());
    await service.settle();
  };
  await send(
    tags.flatMap(([tag, [, [from, to, step], value]]) =>
      Array.from(
        { length: Math.max(0, Math.floor((from - to) / step) + 1) },
        (_, i) => from - i * step,
      )
        .map((minute) => ({ tag, ts: ago(minute), value: value(minute) }))
    ),
  );
  const list = async (more = "") => {
    const response = await service.fetch(`/platform/v1/sensors/health?project_id=${id}${more}`);
    equal(response.status, 200);
    return await response.json() as Record<string, unknown>[];
  };
  return { ...service, id, send, list };
}

Deno.test("what is silent, stuck, dead or ahead of time is listed with since when", async () => {
  const { list, close } = await open();
  const found = (await list()).map((it) => [
    ...[it.state, it.sensor_tag, it.since, it.last_ts],
    it.last_value,
  ]);
  deepEqual(found, [
    ["silent", "quiet", shown(16), shown(16), 16_000],
    ["silent", "never", null, null, null],
    ["ahead", "ahead", found[2][2], shown(-2), -2000],
    ...spacings.map((spacing) => ["stuck", `stuck_${spacing}`, shown(60), shown(0), 640]),
    ["dead", "dead", shown(45), shown(0), 0],
    ["stuck", "days", shown(2880), shown(0), 640],
  ]);
  match(`${found[2][2]}`, /^2026-06-01T20:00:00\.00000\dZ$/);
  await close();
});

Deno.test("states and pages choose among them, and a row names its device", async () => {
  const { list, close } = await open();
  const tags = async (more: string) => (await list(more)).map(({ sensor_tag }) => sensor_tag);
  deepEqual(await tags("&state=ahead&state=silent"), ["quiet", "never", "ahead"]);
  deepEqual(await tags("&state=stuck&limit=2&offset=1"), ["stuck_5", "stuck_15"]);
  const [{ device_name, component, component_measure }] = await list("&state=ahead");
  deepEqual([device_name, component, component_measure], [
    "Inverter 1",
    "inverter",
    "active_power",
  ]);
  await close();
});

Deno.test("a state ends with the next sample, and comes with time", async () => {
  const { list, send, settle, clock, fetch, close } = await open();
  const tags = async () => (await list()).map(({ sensor_tag }) => sensor_tag);
  await send(["quiet", "never", "stuck_1"].map((tag) => ({ tag, ts: ago(0), value: 500.5 })));
  clock.advance(60_000);
  await settle();
  // What was two minutes ahead is one.
  deepEqual(await tags(), ["at_edge", "stuck_5", "stuck_15", "dead", "days"]);
  const text = await (await fetch("/metrics")).text();
  for (
    const line of [
      /"ahead"\} 0\n/,
      /"silent"\} 1\n/,
      /"stuck"\} 3\n/,
      /"dead"\} 1\n/,
      /"well"\} 12\n/,
    ]
  ) {
    match(text, new RegExp(`wattkeeper_sensors\\{of=${line.source}`));
  }
  clock.advance(15 * 60_000);
  const states = (await list()).map(({ state, sensor_tag }) => `${state} ${sensor_tag}`);
  deepEqual(
    [...new Set(states.map((state) => state.split(" ")[0]))],
    ["silent"],
    states.join(),
  );
  // 120 minutes ago began the last hour that was told, and 15 more are carried.
  equal(states.includes("silent hourly"), true);
  equal(states.includes("silent well"), true);
  equal(states.includes("silent soon"), false);
  await close();
});

Deno.test("samples of before the start are looked for, and late ones change nothing", async () => {
  const { list, send, services: { database, catalog, effects }, close } = await open();
  await send([{ tag: "quiet", ts: ago(30), value: 77 }]);
  const tag_nos = catalog.sensors.map(({ tag_no }) => tag_no);
  const heads = new Heads(new LatestValues({ database, effects }));
  await database.read((it) => heads.look(it, tag_nos, effects.now_us()));
  const ofTag = (sensor_tag: string) =>
    heads.of(catalog.tags.find((it) => it.sensor_tag === sensor_tag)!.tag_no);
  deepEqual(
    [ofTag("quiet")?.ts, ofTag("days")?.ts, ofTag("ahead")?.value, ofTag("never")],
    [(now - 16 * 60_000) * 1000, now * 1000, -2, undefined],
  );
  equal((await list("&state=silent"))[0].last_value, 16_000);
  await close();
});

Deno.test("a sample speaks up to its hold, a clock may be a minute ahead", () => {
  const asked = { now_us: 1e15, hold_us: 9e8 };
  const states = [undefined, 1e15 - 9e8 - 1, 1e15 - 9e8, 1e15 + 6e7, 1e15 + 6e7 + 1]
    .map((last_us) => heardState(last_us, asked));
  deepEqual(states, ["silent", "silent", undefined, undefined, "ahead"]);
});
