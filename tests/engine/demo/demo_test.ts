// The demo's plant: the same for the same seed, and one that an operator would believe.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { isValid } from "../../../src/model/data/chunk.ts";
import { demo_points } from "../../../src/engine/demo/point.ts";
import { demoSite } from "../../../src/engine/demo/site.ts";
import { incidentsUntil } from "../../../src/engine/demo/story.ts";
import { type DemoBatch, DemoStream } from "../../../src/engine/demo/stream.ts";
import { momentsOf } from "./story_help.ts";

const begin_us = Date.parse("2026-06-01T07:00:00Z") * 1000;
const day_us = 86_400_000_000;
const days = 10;

/** One sample; its value is NaN where it is bad. */
type Sample = { ts_us: number; value: number; quality: number; late: boolean };

let read: Map<string, Sample[]> | undefined;

/** Ten days of the demo by tag, in the order they were sent. */
function samples(): Map<string, Sample[]> {
  if (read) return read;
  read = new Map();
  for (const batch of new DemoStream({ seed: 1, from_us: begin_us }).history(end_us)) {
    if (batch.lane === "forecast") continue;
    for (let i = 0; i < batch.rows; i++) {
      const key = batch.tags[batch.tag[i]];
      const list = read.get(key) ?? [];
      const ts_us = Number(batch.ts[i]);
      const value = isValid(batch.int_valid, i) ? Number(batch.value_int[i]) : batch.value[i];
      const late = list.length > 0 && list[list.length - 1].ts_us > ts_us;
      list.push({ ts_us, value, quality: batch.quality[i], late });
      read.set(key, list);
    }
  }
  return read;
}

const end_us = begin_us + days * day_us;

function of(tag: string): Sample[] {
  const found = samples().get(tag);
  assert(found, `no samples of ${tag}`);
  return found;
}

function digest(batches: Iterable<DemoBatch>): string {
  const rows: string[] = [];
  for (const batch of batches) {
    for (let i = 0; i < batch.rows; i++) {
      rows.push([
        batch.lane,
        batch.tags[batch.tag[i]],
        batch.ts[i],
        batch.value[i],
        ...(batch.lane === "forecast"
          ? [batch.issued_at[i]]
          : [batch.value_int[i], batch.value_str.get(i), batch.status_code[i]]),
      ].join());
    }
  }
  return createHash("sha256").update(rows.toSorted().join("\n")).digest("hex");
}

function inverters(): string[] {
  return Array.from({ length: 20 }, (_, i) => `INV-${String(i + 1).padStart(2, "0")}`);
}

Deno.test("demo: the same seed gives the same samples, however they are read", () => {
  const whole = new DemoStream({ seed: 7, from_us: begin_us });
  const once = digest(whole.history(begin_us + day_us));
  const pieces = new DemoStream({ seed: 7, from_us: begin_us });
  const thrice = [0.1, 0.55, 1].flatMap((part) => [...pieces.history(begin_us + part * day_us)]);
  assert.equal(digest(thrice), once);
  const other = new DemoStream({ seed: 8, from_us: begin_us });
  assert.notEqual(digest(other.history(begin_us + day_us)), once);
});

Deno.test("demo: the live stream goes on where the history ends, a second a step", () => {
  const stream = new DemoStream({ seed: 1, from_us: begin_us });
  const noon_us = begin_us + day_us / 2;
  for (const _ of stream.history(noon_us));
  assert.equal(stream.next_us, noon_us);
  const seconds = [...stream.live(noon_us + 2_000_000)];
  assert.deepEqual([...new Set(seconds.flatMap((it) => [...it.ts]))].map(Number).toSorted(), [
    noon_us,
    noon_us + 1_000_000,
    noon_us + 2_000_000,
  ]);
  assert.deepEqual([...stream.live(noon_us + 2_500_000)], []);
  assert.equal(stream.next_us, noon_us + 3_000_000);
});

Deno.test("demo: the site file maps every tag that is a measure, each device and tag once", () => {
  const site = demoSite() as {
    devices: { key: string; parent?: string; block?: string }[];
    blocks: { key: string }[];
    tags: { name: string }[];
    sensors: { tag: string; device: string }[];
  };
  const devices = new Set(site.devices.map((it) => it.key));
  const blocks = new Set(site.blocks.map((it) => it.key));
  assert.equal(devices.size, site.devices.length);
  assert.equal(new Set(site.tags.map((it) => it.name)).size, site.tags.length);
  assert(demo_points.length >= 150 && demo_points.length <= 250);
  for (const { device } of site.sensors) assert(devices.has(device), device);
  for (const { parent, block } of site.devices) {
    assert(parent === undefined || devices.has(parent));
    assert(block === undefined || blocks.has(block));
  }
});

Deno.test("demo: inverters stay within their rating, clip at noon and sleep at night", () => {
  let clipped = 0;
  let asleep = 0;
  for (const inverter of inverters()) {
    for (const { value, quality } of of(`${inverter}.P_AC`)) {
      assert(Number.isNaN(value) || value >= 0 && value <= 1000, `${value} kW`);
      if (value === 1000) clipped++;
      if (quality === 1) assert.equal(value, 0);
      if (quality === 1) asleep++;
    }
  }
  assert(clipped > 1000, `${clipped} clipped minutes`);
  assert(asleep > 20 * days * 300, `${asleep} minutes asleep`);
});

Deno.test("demo: a curtailment holds the plant at its setpoint", () => {
  const low = of("PPC.P_SETPOINT").filter(({ value }) => value < 20_000);
  assert(low.length >= 10);
  const [{ ts_us: from_us }] = low;
  const total_kw = (at_us: number) =>
    inverters().flatMap((it) => of(`${it}.P_AC`))
      .filter((it) => it.ts_us >= at_us && it.ts_us < at_us + 60_000_000)
      .reduce((total, { value }) => total + value, 0);
  assert(total_kw(from_us + 600_000_000) <= low[0].value + 1);
  assert(total_kw(from_us - 600_000_000) > 1.5 * low[0].value, "what it could give");
});

Deno.test("demo: the plant's days are those of a plant of its size", () => {
  const kwh = inverters().flatMap((it) => of(`${it}.P_AC`))
    .reduce((sum, { value }) => sum + (Number.isNaN(value) ? 0 : value), 0) / 60;
  const mwh_a_day = kwh / 1000 / days;
  assert(mwh_a_day > 60 && mwh_a_day < 260, `${mwh_a_day} MWh a day`);
});

Deno.test("demo: every kind of incident comes within ten days, and its status says so", () => {
  const story = { seed: 1, from_us: begin_us };
  const kinds = new Set(incidentsUntil(story, end_us).map(({ kind }) => kind));
  assert.deepEqual([...kinds].toSorted(), [
    ...["bad", "curtailment", "derate", "glitch", "late", "maintenance", "outage", "silence"],
    "trip",
  ]);
  const codes: Record<string, number> = { trip: 3, outage: 4, maintenance: 4, derate: 5 };
  for (const { kind, inverter, at_us } of momentsOf(story, end_us)) {
    if (!(kind in codes)) continue;
    const status = of(`${inverters()[inverter]}.STATUS`)
      .filter(({ ts_us }) => Math.abs(ts_us - at_us) <= 300_000_000);
    assert(status.length > 0);
    for (const { value } of status) assert.equal(value, codes[kind], kind);
  }
});

Deno.test("demo: each morning's forecast is near what the meter then reads for two days", () => {
  const runs = [...new DemoStream({ seed: 1, from_us: begin_us }).history(end_us)]
    .filter((batch) => batch.lane === "forecast");
  assert.equal(runs.length, days);
  const errors: number[] = [];
  const meter = Map.groupBy(of("MTR-01.P"), ({ ts_us }) => Math.floor(ts_us / 3_600_000_000));
  for (const { ts, value, issued_at } of runs) {
    ts.forEach((target, i) => {
      assert(target > issued_at[i]);
      const read = meter.get(Number(target) / 3_600_000_000);
      if (read?.length !== 60) return;
      errors.push(value[i] - read.reduce((sum, it) => sum + it.value, 0) / 60);
    });
  }
  const middle = errors.map(Math.abs).toSorted((a, b) => a - b)[errors.length >> 1];
  assert(middle > 0 && middle < 1.5, `half of the hours are within ${middle} MW`);
});

Deno.test("demo: the battery's charge stays within its bounds and moves by its power", () => {
  for (const { value } of of("BESS.SOC")) assert(value >= 5 && value <= 96, `${value} %`);
  const powers = of("BESS.P").map(({ value }) => value);
  assert(Math.min(...powers) < -3000 && Math.min(...powers) >= -5000);
  assert(Math.max(...powers) > 4000 && Math.max(...powers) <= 5000);
});

Deno.test("demo: counters climb, but for one wrap at 2^32 and a short glitch", () => {
  let wraps = 0;
  let glitches = 0;
  for (const inverter of inverters()) {
    const readings = of(`${inverter}.E_TOTAL`).filter(({ value }) => !Number.isNaN(value))
      .toSorted((a, b) => a.ts_us - b.ts_us);
    const zeros = readings.filter(({ value }) => value === 0).length;
    assert(zeros <= 2);
    glitches += zeros;
    const climbing = readings.filter(({ value }) => value !== 0);
    for (let i = 1; i < climbing.length; i++) {
      const fall = climbing[i - 1].value - climbing[i].value;
      if (fall > 0) wraps += fall > 2 ** 31 ? 1 : NaN;
    }
  }
  assert.equal(wraps, 1);
  assert(glitches >= 1);
});

Deno.test("demo: bad values, silence and late deliveries all happen", () => {
  const all = [...samples().values()].flat();
  assert(all.some(({ quality }) => quality === 2));
  assert(all.filter(({ late }) => late).length > 2);
  const minutes = inverters().map((it) => of(`${it}.P_AC`).length);
  assert(Math.min(...minutes) < days * 1440 - 20);
  assert(of("MET-01.POA").length === days * 1440);
});
