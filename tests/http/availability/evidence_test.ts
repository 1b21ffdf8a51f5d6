// Evidence over HTTP: what a counter, a meter and the peers say, the same at every spacing.
import { deepEqual, equal, ok } from "node:assert/strict";
import { at, type Faults, sunnyService, within } from "../../help/sunny.ts";

const peers = { b: {}, c: {}, d: {} };
const day = within("00:00", "24:00");

/** The day's figures of inverter `a` beside three that work. */
async function figuresOf(a: Faults, spacing: number, more = {}) {
  const service = await sunnyService({ inverters: { a, ...peers }, spacing, ...more });
  const rows = await service.rows("availability?include=known");
  const timeline = await service.rows("availability/timeline");
  await service.close();
  const own = rows.find((row) => row.hierarchy_id === service.of("a"))!;
  for (const other of rows.filter((row) => row !== own)) near(other.availability, 1, 0);
  return {
    availability: own.availability,
    known: Number(own.known_capacity_hours) / Number(own.daylight_capacity_hours),
    lost_h: Number(own.unavailable_capacity_hours) / 1000,
    timeline: timeline.filter((row) => row.hierarchy_id === service.of("a"))
      .map(({ from, to, state, evidence }) => `${clock(from)}..${clock(to)} ${state} ${evidence}`),
  };
}

const clock = (instant: unknown) => String(instant).slice(11, 16);

function near(found: unknown, wanted: number, tolerance: number): void {
  ok(Math.abs(Number(found) - wanted) <= tolerance, `${found} is not near ${wanted}`);
}

const out = (isOut: (ms: number) => boolean) => (ms: number) => isOut(ms) ? 0 : 1;

/** Sent as it is but in the time of a gap in communication. */
const mute = (isMute: (ms: number) => boolean) => ({
  power: (ms: number, { power_w }: { power_w: number }) => isMute(ms) ? undefined : power_w,
  counter: (ms: number, { counter_wh }: { counter_wh: number }) =>
    isMute(ms) ? undefined : counter_wh,
});

for (const spacing of [1, 5, 15]) {
  const spaced = (name: string, test: () => Promise<void>) =>
    Deno.test(`${name}, every ${spacing} minutes`, test);

  spaced("a day out and silent, its counter standing, is an outage", async () => {
    const { availability, known, timeline } = await figuresOf({
      works: out(day),
      ...mute(day),
    }, spacing);
    equal(availability, 0);
    // At the edges of the day the peers make nothing to compare with.
    near(known, 0.97, 0.02);
    deepEqual(timeline.map((it) => it.slice(13)), [
      "unknown none",
      "forced_outage counter",
      "unknown none",
    ]);
  });

  spaced("zero power beside a climbing counter is a fault of the reading", async () => {
    const { availability, known, timeline } = await figuresOf({ power: () => 0 }, spacing);
    deepEqual([availability, known], [1, 1]);
    deepEqual(timeline[1], "05:00..19:30 full_capability counter");
  });

  spaced("zero power beside a counter that climbs, then stands, is an outage then", async () => {
    const { lost_h, timeline } = await figuresOf({
      power: () => 0,
      works: out(within("12:00", "15:00")),
    }, spacing);
    equal(lost_h, 3);
    deepEqual(timeline[2], "12:00..15:00 forced_outage peers");
  });

  spaced("zero power beside a coarse counter that climbs is none either", async () => {
    const { availability, known } = await figuresOf({
      power: () => 0,
      counter: (_, { counter_wh }) => Math.floor(counter_wh / 20_000) * 20_000,
    }, spacing);
    deepEqual([availability, known], [1, 1]);
  });

  spaced("a power stuck in an outage, its counter standing, is no production", async () => {
    const isOut = (ms: number) => ms >= at("09:00") && day(ms);
    const { timeline } = await figuresOf({
      works: out(isOut),
      power: (ms, { power_w }) => isOut(ms) ? 580_000 : power_w,
    }, spacing);
    deepEqual(timeline.slice(-2), [
      "09:00..19:15 forced_outage peers",
      "19:15..19:34 out_of_environmental_specification power",
    ]);
  });

  spaced("a power stuck for a day out is no production", async () => {
    const { availability, known } = await figuresOf({
      works: out(day),
      power: (ms, { power_w }) => day(ms) ? 580_000 : power_w,
    }, spacing);
    // It was heard, so the dark at the day's edges is the weather's.
    near(availability, 0.06, 0.02);
    equal(known, 1);
  });

  spaced("an inverter silent all day without a counter is not known", async () => {
    const { availability, known, timeline } = await figuresOf({
      ...mute(day),
      counter: null,
    }, spacing);
    deepEqual([availability, known], [null, 0]);
    deepEqual(timeline.map((it) => it.slice(13)), ["unknown none"]);
  });

  spaced("a gap in communication is judged by the counter across it", async () => {
    const isMute = within("10:00", "14:00");
    const { lost_h, known, timeline } = await figuresOf({
      works: out(within("12:00", "13:00")),
      ...mute(isMute),
    }, spacing);
    equal(known, 1);
    // From 12:00 to 13:00 a clear sun gives 26.3 % of what it gives from 10:00 to 14:00.
    near(lost_h, 4 * 0.263, 0.05);
    ok(timeline.includes("10:00..14:00 full_capability counter"));
  });

  spaced("a power that fell silent beside a counter that is sent is told by it", async () => {
    const { lost_h, known } = await figuresOf({
      works: out(within("12:00", "13:00")),
      power: (ms, { power_w }) => ms >= at("08:00") ? undefined : power_w,
    }, spacing);
    equal(known, 1);
    equal(lost_h, 1);
  });

  spaced("a meter that one inverter alone feeds speaks for it", async () => {
    const metered = {
      devices: [{ key: "F", type: "feeder" }, { key: "m", type: "meter", parent: "F" }],
      parents: { a: "F" },
      sensors: [{ tag: "m.e", device: "m", measure: "energy", accumulation: "counter" }],
      more: (_: number, counters: Readonly<Record<string, number>>) =>
        [["m.e", counters.a]] as const,
    };
    const a = { power: () => 0, counter: null, works: out(within("12:00", "15:00")) };
    const { lost_h, timeline } = await figuresOf(a, spacing, metered);
    equal(lost_h, 3);
    deepEqual(timeline.slice(1, 4).map((it) => it.slice(13)), [
      "full_capability counter",
      "forced_outage peers",
      "full_capability counter",
    ]);
  });
}
