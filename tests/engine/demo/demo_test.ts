// The demo's plant: the same for the same seed, and one that an operator would believe.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { isValid } from "../../../src/model/data/chunk.ts";
import type { Incident, IncidentKind } from "../../../src/engine/demo/incident.ts";
import { demo_places } from "../../../src/engine/demo/place.ts";
import { DemoPlant } from "../../../src/engine/demo/plant.ts";
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

/** The incidents of a kind in the ten days. */
function incidents(kind: IncidentKind): readonly Incident[] {
  return incidentsUntil({ seed: 1, from_us: begin_us }, end_us).filter((it) => it.kind === kind);
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
  const site = demoSite(demo_places[0]) as {
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
    ...["bad", "curtailment", "dead", "derate", "glitch", "late", "maintenance", "new_meter"],
    ...["outage", "replaced", "silence", "stuck", "trip"],
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

/** Whether another register goes on at an inverter between two instants. */
function isReplaced(inverter: string, from_us: number, to_us: number): boolean {
  return incidents("replaced").some(({ target, to_s }) =>
    inverters()[target] === inverter && to_s * 1e6 > from_us && to_s * 1e6 <= to_us
  );
}

Deno.test("demo: counters climb, but for one wrap at 2^32, a short glitch and a new board", () => {
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
      if (isReplaced(inverter, climbing[i - 1].ts_us, climbing[i].ts_us)) continue;
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

/** The samples of a tag within an incident, and its last sample before and first one after. */
function around(tag: string, { from_s, to_s }: Incident) {
  const all = of(tag);
  return {
    before: all.findLast(({ ts_us }) => ts_us < from_s * 1e6)!,
    within: all.filter(({ ts_us }) => ts_us >= from_s * 1e6 && ts_us < to_s * 1e6),
    after: all.find(({ ts_us }) => ts_us >= to_s * 1e6)!,
  };
}

Deno.test("demo: a stuck sensor shows one value for hours, a dead one 0 until night", () => {
  const [stuck] = incidents("stuck");
  const tag = `MET-0${stuck.target + 1}.POA`;
  const { before, within, after } = around(tag, stuck);
  assert(within.length >= 100, `${within.length} minutes`);
  assert.equal(new Set(within.map(({ value }) => value)).size, 1);
  assert(within[0].value > 5);
  assert.notEqual(before.value, within[0].value);
  assert.notEqual(after.value, within[0].value);
  const [dead] = incidents("dead");
  const night = around(`MET-0${dead.target + 1}.POA`, dead);
  assert(night.before.value > 5);
  assert(night.within.every(({ value, quality }) => value === 0 && quality === 0));
  const others = around(`MET-0${2 - dead.target}.POA`, dead).within;
  assert(others.filter(({ value }) => value > 5).length > 300, "it is day for hours");
  assert.equal(others.at(-1)!.value, 0, "and then night");
});

Deno.test("demo: a replaced register is silent for minutes, then goes on elsewhere", () => {
  const [board, meter] = [...incidents("replaced"), ...incidents("new_meter")];
  const registers = [
    [`${inverters()[board.target]}.E_TOTAL`, board, 1e3],
    ["MTR-01.E_DEL", meter, 25],
    ["MTR-01.E_REC", meter, 25],
  ] as const;
  for (const [tag, incident, most_a_second] of registers) {
    const { before, within, after } = around(tag, incident);
    assert.deepEqual(within, [], tag);
    const seconds = (after.ts_us - before.ts_us) / 1e6;
    assert(seconds >= 900 && seconds <= 2400, `${seconds} s without a reading`);
    const step = after.value - before.value;
    assert(step < 0 || step > most_a_second * seconds, `a step of ${step} can be taken for energy`);
    const later = of(tag).filter(({ ts_us }) => ts_us > after.ts_us);
    assert(later.every(({ value }) => Math.abs(value - after.value) < Math.abs(step)));
  }
});

Deno.test("demo: a new register goes on from one level, by minutes or by seconds", () => {
  const [incident] = incidents("new_meter");
  const { from_s, to_s } = incident;
  const [by_minute, by_second] = [60, 1].map((step_s) => {
    const plant = new DemoPlant({ seed: 1, from_us: begin_us });
    while (plant.at_s + 60 < from_s) plant.advance(60);
    while (plant.at_s < to_s) plant.advance(step_s);
    return plant.delivered_wh;
  });
  const minute_wh = 25e6 / 60;
  assert(Math.abs(by_minute - by_second) <= minute_wh);
  const shown_wh = around("MTR-01.E_DEL", incident).after.value * 1000;
  assert(Math.abs(by_minute - shown_wh) <= 5 * minute_wh);
});
