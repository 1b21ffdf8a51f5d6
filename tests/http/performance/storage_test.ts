// A meter and the system with storage below: what they are expected to read, through the API.
import assert from "node:assert/strict";
import type { TestRow } from "../../help/reading.ts";
import { type Site, siteOf } from "./site_help.ts";

/** Two inverters and a battery of two converters on a transformer that loses 10 %. */
const plant = {
  devices: [
    { key: "SYS", name: "System", type: "system" },
    { key: "T", name: "Transformer", type: "transformer", grid: { losses: 0.1 } },
    { key: "M", name: "Meter", type: "meter", parent: "T" },
    ...["A", "B"].map((key) => ({ key, name: key, type: "inverter", parent: "T" })),
    { key: "BESS", name: "Battery", type: "bess", parent: "T" },
    ...["P1", "P2"].map((key) => ({ key, name: key, type: "bess_pcs", parent: "BESS" })),
  ],
  sensors: [
    ...["A", "B"].map((device) => ({ tag: `${device}.p`, device, measure: "active_power" })),
    ...["M", "SYS", "BESS"].map((device) => ({
      ...{ tag: `${device}.p`, device, measure: "active_power", scale: 1000 },
    })),
    // The converters' source counts charging as positive; the second one has two sensors.
    ...["P1.p", "P2.p", "P2.q"].map((tag) => ({
      ...{ tag, device: tag.slice(0, 2), measure: "active_power", scale: -1000 },
    })),
    { tag: "M.e", device: "M", measure: "energy" },
    { tag: "M.del", device: "M", measure: "active_energy_delivered" },
  ],
};

/** Day: 10:00 to 14:00 at the site; night: 01:00 to 03:00. */
const spans = { day: [600, 840], night: [60, 180] } as const;
type Span = keyof typeof spans;

/** By minute of the day: W of an inverter, and kW that a converter charges with. */
const expected = (minute: number) => minute < 300 ? 0 : 1000 * (100 + Math.floor(minute / 6));
const charged = (minute: number) => minute < 300 ? 20 : 5 * (Math.floor(minute / 60) % 3);

/** The plant with samples of both spans; storage tells every so many minutes. */
async function openPlant(spacing: number, without: readonly number[] = []): Promise<Site> {
  const site = await siteOf(plant);
  for (const [from, to] of Object.values(spans)) {
    const minutes = Array.from({ length: to - from }, (_, i) => from + i);
    const sparse = minutes.filter((minute) => minute % spacing === 0 && !without.includes(minute));
    for (const key of ["A", "B"]) {
      if (from > 300) await site.send("model", `${key}.p`, minutes.map((it) => [it, expected(it)]));
      await site.send("signal", `${key}.p`, minutes.map((it) => [it, expected(it) / 2]));
    }
    for (const tag of ["P1.p", "P2.p"]) {
      await site.send("signal", tag, sparse.map((it) => [it, charged(it)]));
    }
    await site.send("signal", "P2.q", sparse.map((it) => [it, 7777]));
    await site.send("signal", "BESS.p", sparse.map((it) => [it, 8888]));
    for (const tag of ["M.p", "SYS.p"]) {
      await site.send("signal", tag, minutes.map((it) => [it, 77]));
    }
  }
  await site.settle();
  return site;
}

/** W that the meter is expected to give in a minute. */
const modelOf = (minute: number) => 0.9 * (2 * expected(minute) - 2000 * charged(minute));

function check(rows: readonly TestRow[], span: Span, length: number, of: (it: number) => number) {
  const [from, to] = spans[span];
  const found = rows.filter(({ ts }) => {
    const [hour, minute] = String(ts).slice(11, 16).split(":").map(Number);
    const at = 60 * hour + minute;
    return at >= from && at < to;
  });
  assert.equal(found.length, (to - from) / length, `${span} ${length}`);
  for (const [i, row] of found.entries()) {
    const minutes = Array.from({ length }, (_, at) => of(from + i * length + at));
    const mean = minutes.reduce((sum, it) => sum + it, 0) / length;
    assert.ok(
      Math.abs(Number(row.model_value) - mean) <= 1e-6,
      `${row.ts}: ${row.model_value}, not ${mean}`,
    );
  }
}

const lengths = { OneMinute: 1, FiveMinutes: 5, FifteenMinutes: 15, OneHour: 60 } as const;

for (const spacing of [1, 5, 15]) {
  Deno.test(`storage each ${spacing} minutes is in what meter and system are to read`, async () => {
    const site = await openPlant(spacing);
    for (const component of ["meter", "system"]) {
      for (const [interval, length] of Object.entries(lengths)) {
        const rows = await site.rows({ interval, component, bounds: false });
        check(rows, "day", length, modelOf);
        check(rows, "night", length, modelOf);
        const lit = await site.rows({ interval, component });
        check(lit, "day", length, modelOf);
      }
    }
    for (const [interval, length] of Object.entries(lengths)) {
      const energy = await site.rows({
        interval,
        component: "meter",
        measure: "energy",
        bounds: false,
      });
      const wh = (minute: number) => length * modelOf(minute) / 60;
      check(energy, "day", length, wh);
      check(energy, "night", length, wh);
      // What is delivered never counts back.
      const measure = "active_energy_delivered";
      const rows = await site.rows({ interval, component: "meter", measure, bounds: false });
      check(rows, "day", length, wh);
      check(rows, "night", length, () => 0);
    }
    await site.close();
  });
}

Deno.test("storage that is not heard leaves minutes past its carry without a model", async () => {
  // Silent from 12:00 to 13:00: carried for a quarter of an hour after 11:59.
  const site = await openPlant(1, Array.from({ length: 60 }, (_, i) => 720 + i));
  const rows = await site.rows({ interval: "OneMinute", component: "meter" });
  const at = (minute: number) => {
    const time = `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, "0")}`;
    return rows.find(({ ts }) => String(ts).slice(11, 16) === time)!;
  };
  const carried = 0.9 * (2 * expected(734) - 2000 * charged(719));
  assert.equal(at(734).model_value, carried);
  for (const minute of [735, 760, 779]) {
    assert.equal(at(minute).model_value, 0);
    assert.equal(at(minute).performance_index, null);
    assert.notEqual(at(minute).sensor_value, null);
  }
  assert.equal(at(780).model_value, modelOf(780));
  // It comes late.
  for (const tag of ["P1.p", "P2.p"]) {
    await site.send("signal", tag, Array.from({ length: 60 }, (_, i) => [720 + i, 3]));
  }
  await site.settle();
  const late = await site.rows({ interval: "OneHour", component: "meter" });
  const noon = late.find(({ ts }) => String(ts).slice(11, 13) === "12")!;
  // Of the inverters 220 to 229 kW, of the converters 3 kW each.
  assert.equal(noon.model_value, 0.9 * (2 * 224_500 - 6000));
  await site.close();
});

Deno.test("an unmeasured battery leaves its meter without a model, not its inverters", async () => {
  const sensors = plant.sensors.filter(({ device }) => ["A", "B", "M"].includes(device));
  const site = await siteOf({ ...plant, sensors });
  for (const tag of ["A.p", "B.p"]) await site.send("model", tag, [[600, 100]]);
  for (const tag of ["A.p", "B.p", "M.p"]) await site.send("signal", tag, [[600, 100]]);
  await site.settle();
  const [meter] = await site.rows({ interval: "OneDay", component: "meter" });
  assert.deepEqual([meter.model_value, meter.performance_index], [0, null]);
  const [inverters] = await site.rows({ interval: "OneDay", component: "inverter" });
  assert.equal(inverters.model_value, 200);
  await site.close();
});
