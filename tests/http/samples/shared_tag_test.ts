// One tag that several sensors read: each has its readings, its rows and its rules.
import { deepEqual, equal, match } from "node:assert/strict";
import { openSite, series } from "../../help/raw.ts";

const devices = [
  { key: "A", type: "inverter" },
  { key: "B", type: "inverter" },
  { key: "M", type: "met" },
] as const;
const light = { tag: "x", device: "M", measure: "poa_front" } as const;
const power = { tag: "x", device: "A", measure: "active_power", scale: 100 } as const;
const other = { tag: "x", device: "B", measure: "active_power", scale: 10, offset: 5 } as const;

for (const step of [1, 5, 15]) {
  Deno.test(`a tag each ${step} min feeds two measures and two devices`, async () => {
    const site = await openSite({ devices: [...devices], sensors: [light, power, other] });
    // From 06:00 to 07:00, half of the hour 400 and half of it 600: a mean of 500.
    const count = 60 / step;
    const values = Array.from({ length: count }, (_, i) => i < count / 2 ? 400 : 600);
    await site.send(series("x", step, values));
    await site.settle();
    const hour = async (component: string, measure: string) =>
      (await site.performance(component, measure, "OneHour"))
        .map((row) => Number(row.sensor_value)).toSorted((a, b) => a - b);
    deepEqual(await hour("met", "poa_front"), [500]);
    deepEqual(await hour("inverter", "active_power"), [5005, 50_000]);
    await site.close();
  });
}

Deno.test("the performance lane has a row for each sensor, a replay the first", async () => {
  const site = await openSite({ devices: [...devices], sensors: [light, power, other] });
  await site.send(series("x", 1, [400]));
  const ids = new Map(site.services.catalog.devices.map((device) => [device.id, device.key]));
  const shown = async (query: Record<string, string>) =>
    (await site.signals({ resolution: "raw", ...query })).map((row) =>
      `${row.lane} ${ids.get(String(row.device_id)) ?? "-"} ${row.value} ${row.unit}`
    );
  const rows = ["performance M 400 W/m2", "performance A 40000 W", "performance B 4005 W"];
  deepEqual(await shown({}), ["raw_signal - 400 null", ...rows]);
  deepEqual(await shown({ limit: "1", offset: "2" }), [rows[1]]);
  const [, , b] = site.services.catalog.sensors;
  deepEqual(await shown({ device_id: b.device_id! }), [rows[2]]);
  site.clock.advance(10_000);
  const since = { received_since: "2026-06-01T12:00:00Z", lane: "performance" };
  deepEqual(await shown(since), [rows[0]]);
  deepEqual(await shown({ ...since, device_id: b.device_id! }), [rows[2]]);
  await site.close();
});

Deno.test("a counter may be the energy of two devices, but not a power too", async () => {
  const counter = { tag: "c", accumulation: "counter", capacity: 200_000 } as const;
  const sensors = [
    { ...counter, device: "A", measure: "energy", scale: 1000 },
    { ...counter, device: "B", measure: "active_energy_delivered", scale: 500 },
  ] as const;
  const site = await openSite({ devices: [...devices], sensors: [...sensors] });
  await site.send(series("c", 15, [100, 102, 104, 106, 108]));
  await site.settle();
  const hour = async (measure: string) =>
    (await site.performance("inverter", measure, "OneHour"))
      .map((row) => Math.round(Number(row.sensor_value) * 1e6) / 1e6);
  deepEqual(await hour("energy"), [8000]);
  deepEqual(await hour("active_energy_delivered"), [4000]);
  const { status, text } = await site.apply({
    devices: [...devices],
    sensors: [...sensors, { ...power, tag: "c" }],
  });
  equal(status, 400);
  match(text, /sensors\[2\]\.accumulation.*is \\"none\\", but sensors\[0\] reads the tag as/);
  await site.close();
});

Deno.test("a rule on a measure reads the sensor that it means", async () => {
  const rule = {
    ...{ kind: "threshold", operator: ">", threshold: 4000, severity: "high" } as const,
    ...{ component: "inverter", measure: "active_power" } as const,
  };
  const site = await openSite({
    devices: [...devices],
    sensors: [light, { ...power, scale: 10 }, { ...other, tag: "y" }],
    rules: [{ key: "r", name: "R", ...rule }],
  });
  // Of the tag x it is the power, 4500 W, not the irradiance of 450 W/m².
  await site.send([series("x", 1, [450]), series("y", 1, [450])].join("\n"));
  await site.settle();
  const response = await site.fetch(
    `/platform/v1/alarms?project_id=${site.services.catalog.projects[0].id}`,
  );
  const alarms = await response.json();
  deepEqual(
    alarms.map((it: Record<string, unknown>) => [it.source_tag, it.measure, it.raised_value])
      .sort(),
    [["x", "active_power", 4500], ["y", "active_power", 4505]],
  );
  await site.close();
});
