// Issues opened from a performance drop or from unavailable time: figures, devices, refusals.
import { deepEqual, equal } from "node:assert/strict";
import { type Json, openWork, pathsOf } from "./work_help.ts";

const range = { from: "2026-06-01T08:00:00Z", to: "2026-06-01T10:00:00Z" };

/** Two inverters that gave 500 W and 900 W from 06:00 to noon, of 1000 W expected of each. */
async function open() {
  const world = await openWork();
  const { send, project, deviceOf, services, settle } = world;
  const rows = ["a.p", "b.p"].flatMap((tag) =>
    Array.from({ length: 72 }, (_, i) => ({
      tag,
      ts: new Date(Date.parse("2026-06-01T06:00:00Z") + i * 300_000).toISOString(),
      value: tag === "a.p" ? 500 : 900,
    }))
  );
  const ingest = `/ingest/v1/signals?project_id=${project.id}`;
  await send("POST", ingest, { body: rows });
  const expected = rows.map((row) => ({ ...row, value: 1000 }));
  await send("POST", `${ingest}&lane=model`, { body: expected });
  await settle();
  const sensorOf = (key: string, measure: string) =>
    services.catalog.sensors.find((sensor) =>
      sensor.device_id === deviceOf(key).id && sensor.measure === measure
    )!.hierarchy_id;
  return { ...world, sensorOf };
}

Deno.test("a drop is measured against expected energy, of a power as of an energy", async () => {
  const { post, sensorOf, deviceOf, close } = await open();
  const drop = (hierarchy_ids: readonly string[], more: Json = {}) =>
    post("issues", { from: { performance: { hierarchy_ids, ...range } }, ...more });
  const lone = await drop([sensorOf("A", "active_power")]);
  equal(lone.status, 201, JSON.stringify(lone.data));
  const span = {
    effective_from: "2026-06-01T08:00:00.000000Z",
    effective_to: "2026-06-01T10:00:00.000000Z",
  };
  const { name, description, source, sentinel_tag, effective_from, effective_to } = lone.data;
  deepEqual([source, sentinel_tag, { effective_from, effective_to }], [
    "performance",
    "default",
    span,
  ]);
  deepEqual(lone.data.devices, [
    { device_id: deviceOf("A").id, component: "inverter", ...span },
  ]);
  deepEqual([name, description], [
    "Performance drop: INV-A",
    "From 2026-06-01 08:00:00 +00:00 to 2026-06-01 10:00:00 +00:00: 1.0 kWh measured, " +
    "2.0 kWh expected, 50.0 % less than expected.",
  ]);
  const energy = await drop([sensorOf("A", "energy")]);
  equal(String(energy.data.description).slice(63, 79), "1.0 kWh measured");
  const both = await drop([sensorOf("A", "active_power"), sensorOf("B", "active_power")]);
  equal(both.data.name, "Performance drop: 2 devices");
  equal(
    String(both.data.description).slice(63),
    "2.8 kWh measured, 4.0 kWh expected, " +
      "30.0 % less than expected.",
  );
  const own = await drop([sensorOf("A", "energy")], { name: "Soiled", devices: [] });
  deepEqual([own.data.name, own.data.devices, own.data.source], ["Soiled", [], "performance"]);
  await close();
});

Deno.test("unavailable time is told by state, of the time that is known", async () => {
  const { post, send, at, settle, sensorOf, close } = await open();
  const hierarchy_ids = [sensorOf("A", "active_power"), sensorOf("B", "active_power")];
  await send("POST", at("availability/overrides"), {
    body: {
      hierarchy_ids: hierarchy_ids.slice(0, 1),
      state: "forced_outage",
      ...{ from: "2026-06-01T09:30:00Z", to: "2026-06-01T11:00:00Z", reason: "x" },
    },
  });
  await settle();
  const made = await post("issues", { from: { availability: { hierarchy_ids, ...range } } });
  equal(made.status, 201, JSON.stringify(made.data));
  deepEqual([made.data.source, made.data.name, String(made.data.description).slice(63)], [
    "availability",
    "Unavailable: 2 devices",
    "unavailable for 0.50 of 4.00 inverter-hours of daylight (forced_outage 0.50 h).",
  ]);
  await close();
});

Deno.test("what nothing is known of, and strange sensors, are refused by their paths", async () => {
  const { post, sensorOf, get, close } = await open();
  const [power, energy] = [sensorOf("A", "active_power"), sensorOf("A", "energy")];
  const warm = sensorOf("B", "internal_temp");
  const night = { from: "2026-05-01T00:00:00Z", to: "2026-05-01T01:00:00Z" };
  const cases: readonly (readonly [Json, readonly string[]])[] = [
    [{ performance: { hierarchy_ids: [power], ...night } }, ["from.performance.from"]],
    [{ availability: { hierarchy_ids: [power], ...night } }, ["from.availability.from"]],
    [{ performance: { hierarchy_ids: ["zz", warm, power, energy], ...range } }, [
      "from.performance.hierarchy_ids[0]",
      "from.performance.hierarchy_ids[1]",
      "from.performance.hierarchy_ids[3]",
    ]],
    [{ availability: { hierarchy_ids: [warm], ...range } }, ["from.availability.hierarchy_ids[0]"]],
    [{ performance: { hierarchy_ids: [power], from: range.to, to: range.from } }, [
      "from.performance.to",
    ]],
    [{ performance: { hierarchy_ids: [power], from: "2026-01-01T00:00:00Z", to: range.to } }, [
      "from.performance.to",
    ]],
    [{ performance: { hierarchy_ids: [power], from: "2026-06-01", to: range.to } }, [
      "from.performance.from",
    ]],
    [{ performance: { hierarchy_ids: [], ...range } }, ["from.performance.hierarchy_ids"]],
    [{ alarm: "x", performance: { hierarchy_ids: [power], ...range } }, ["from"]],
  ];
  for (const [from, paths] of cases) {
    const refused = await post("issues", { from });
    deepEqual([refused.status, pathsOf(refused)], [400, paths], JSON.stringify(refused.data));
  }
  deepEqual((await get<Json[]>("issues")).data, []);
  await close();
});
