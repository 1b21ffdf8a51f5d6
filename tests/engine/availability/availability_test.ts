// Availability computed from samples: the ladder of evidence, clocks, streams, and corrections.
import assert from "node:assert/strict";
import { dayNumber } from "../../../src/model/time/calendar.ts";
import { markInverterRange } from "../../../src/store/availability/availability.ts";
import vector from "../../vectors/availability.json" with { type: "json" };
import { every5, openInverters, tagOf } from "./availability_help.ts";
import { runQuery } from "../../help/query.ts";

/** Three inverters of 1 MW with a status each, a POA sensor, a meter's voltage. */
const usual = {
  at: "2024-06-03T12:00:00Z",
  devices: [
    { id: "a", device_model: "sun" },
    { id: "b", device_model: "sun" },
    { id: "c", device_model: "sun", event_tag: "words" },
    { id: "m", type: "meter", grid: JSON.stringify({ nominal_voltage_v: 34_500 }) },
  ],
  models: { sun: { status: "sunspec", events: "sunspec" } },
  tags: [
    ...["a", "b", "c"].map((device_id, i) => tagOf(i + 1, { device_id, capacity: 1e6 })),
    ...["a", "b", "c"].map((device_id, i) =>
      tagOf(i + 11, { device_id, measure: "operating_status" }, { encoding: "integer" })
    ),
    tagOf(20, { device_id: "met", component: "met", measure: "poa_front" }),
    tagOf(21, { device_id: "m", component: "meter", measure: "voltage" }),
    { tag_no: 22, sensor_tag: "words", encoding: "integer" } as const,
  ],
};
const day = "2024-06-01";
/** By daylight at the plant, which is from 11:53 to 02:15 UTC. */
const sunny = ["2024-06-01T11:00:00Z", "2024-06-02T03:00:00Z"] as const;
const at = (clock: string) => `2024-06-01T${clock}:00Z`;
const zoned = { ...usual, timezone: "America/Denver" };

/** A day on which all produce under a good sun. */
const good = [
  ...[1, 2, 3].flatMap((tag) => every5(tag, sunny, 500_000)),
  ...every5(20, sunny, 700),
];

for (const it of vector.cases) {
  Deno.test(`the engine's availability of ${it.name}`, async () => {
    const tags = it.inverters.flatMap(({ capacity }, i) => [
      tagOf(i + 1, { device_id: `d${i}`, capacity: capacity === null ? null : capacity * 1000 }),
      tagOf(i + 11, { device_id: `d${i}`, measure: "operating_status" }, { encoding: "integer" }),
    ]);
    const world = await openInverters({
      at: "2024-03-12T00:00:00Z",
      timezone: it.tz,
      latitude: it.lat,
      longitude: it.lon,
      devices: it.inverters.map((_, i) => ({ id: `d${i}`, device_model: "sun" })),
      models: { sun: { status: "sunspec" } },
      tags,
    });
    const codes = { forced_outage: 7n, partial_capability: 5n } as Record<string, bigint>;
    const all = ["2024-03-10T07:00:00Z", "2024-03-11T06:00:00Z"] as const;
    await world.store(it.inverters.flatMap(({ states: [{ state, from, to }] }, i) => [
      ...every5(i + 1, all, 400_000),
      ...every5(
        i + 11,
        all,
        (ms) => Date.parse(from) <= ms && ms < Date.parse(to) ? codes[state] : 4n,
      ),
    ]));
    await world.settle();
    for (const [i, wanted] of it.inverters.entries()) {
      const sums = (await world.sums(i + 1, it.day))!;
      const hours = (seconds: number) => (wanted.capacity ?? 0) * seconds / 3600;
      near(sums.daylight_s / 3600, it.daylight_hours, 0.002);
      near(hours(sums.basis_s), wanted.capacity_hours, it.tolerance.capacity_hours);
      near(
        hours(sums.unavailable_s),
        wanted.unavailable_capacity_hours,
        it.tolerance.capacity_hours,
      );
    }
    await world.close();
  });
}

Deno.test("each rung of the evidence speaks where the stronger ones are silent", async () => {
  const world = await openInverters(zoned);
  const hours = (from: string, to: string) => [at(from), at(to)] as const;
  await world.store(good);
  await world.store([
    ...every5(1, hours("14:00", "15:00"), 0),
    ...every5(1, hours("16:00", "17:00"), 0),
    ...every5(20, hours("16:00", "17:00"), 30),
    ...every5(2, hours("16:00", "17:00"), 0),
    ...every5(12, hours("18:00", "20:00"), (ms) => ms < Date.parse(at("19:10")) ? 5n : 7n),
    ...every5(22, hours("18:00", "18:20"), 1n << 4n),
    ...every5(21, hours("21:00", "22:00"), (ms) => ms < Date.parse(at("21:10")) ? 16_000 : 35_000),
  ]);
  await world.settle();
  assert.deepEqual(await world.states(1, day), [
    "11:53..14:00 full_capability power",
    "14:00..15:00 forced_outage peers",
    "15:00..16:00 full_capability power",
    "16:00..17:00 out_of_environmental_specification power",
    "17:00..21:00 full_capability power",
    "21:00..21:10 out_of_electrical_specification grid",
    "21:10..02:15 full_capability power",
  ]);
  // A code holds for its tag's carry, 15 minutes; the one of 19:55 until 20:10.
  assert.deepEqual((await world.states(2, day)).slice(3, 6), [
    "18:00..19:10 partial_capability status",
    "19:10..20:11 forced_outage status",
    "20:11..21:00 full_capability power",
  ]);
  assert.deepEqual((await world.states(3, day)).slice(1, 2), [
    "18:00..18:31 out_of_electrical_specification status",
  ]);
  await world.close();
});

Deno.test("a gap is judged by the counter, and is unknown without one", async () => {
  const world = await openInverters({
    ...zoned,
    tags: [
      ...usual.tags,
      tagOf(5, { device_id: "a", measure: "energy", accumulation: "counter", capacity: 1e6 }),
    ],
  });
  const silent = (ms: number) => ms >= Date.parse(at("15:00")) && ms < Date.parse(at("17:00"));
  const since = (ms: number) => (ms - Date.parse(sunny[0])) / 3_600_000;
  // In the two hours of silence the counter counts 70 % of what it should.
  const counted = (ms: number) =>
    since(ms) * 500_000 - (ms < Date.parse(at("17:00")) ? 0 : 300_000);
  await world.store([
    ...good.filter(({ tag, at: us }) => tag > 2 || !silent(Number(us) / 1000)),
    ...every5(5, sunny, counted).filter(({ at: us }) => !silent(Number(us) / 1000)),
  ]);
  await world.settle();
  assert.deepEqual((await world.states(1, day)).slice(1, 2), [
    "15:00..17:00 full_capability counter",
  ]);
  near((await world.sums(1, day))!.unavailable_s, 0.3 * 7200, 1);
  assert.deepEqual((await world.states(2, day)).slice(1, 2), ["15:00..17:00 unknown none"]);
  const { daylight_s, basis_s } = (await world.sums(2, day))!;
  assert.equal(Math.round(daylight_s - basis_s), 7200);
  await world.close();
});

Deno.test("a gap over the night is judged when it ends, on both days", async () => {
  const world = await openInverters({
    ...zoned,
    tags: [
      ...usual.tags,
      tagOf(5, { device_id: "a", measure: "energy", accumulation: "counter", capacity: 1e6 }),
    ],
  });
  const next = ["2024-06-02T11:00:00Z", "2024-06-03T03:00:00Z"] as const;
  const [from, to] = [Date.parse(at("22:00")), Date.parse("2024-06-02T16:00:00Z")];
  const both = [2, 3, 20].flatMap((tag) => every5(tag, next, tag === 20 ? 700 : 500_000));
  await world.store([
    ...good.filter(({ tag, at: us }) => tag > 1 || Number(us) / 1000 < from),
    ...every5(5, [sunny[0], at("22:00")], (ms) => (ms - Date.parse(sunny[0])) / 7.2),
  ]);
  await world.settle();
  assert.equal((await world.states(1, day)).at(-1), "22:00..02:15 unknown none");
  const before = Number((from - Date.parse(sunny[0])) / 7.2);
  await world.store([
    ...both,
    ...every5(1, ["2024-06-02T16:00:00Z", next[1]], 500_000),
    ...every5(5, ["2024-06-02T16:00:00Z", next[1]], (ms) => before + (ms - to) / 7.2),
  ]);
  await world.settle();
  assert.equal((await world.states(1, day)).at(-1), "22:00..02:15 forced_outage counter");
  assert.equal(
    (await world.states(1, "2024-06-02"))[0].slice(5),
    "..16:00 forced_outage counter",
  );
  await world.close();
});

Deno.test("an override corrects a state, its removal brings it back", async () => {
  const world = await openInverters(zoned);
  await world.store(good);
  await world.store(every5(1, [at("14:00"), at("15:00")], 0));
  await world.settle();
  const before = await world.snapshot();
  const range = { site_no: 1, from_day: dayNumber(day), to_day: dayNumber(day) };
  await world.database.write(async (write) => {
    await runQuery(
      write.connection,
      "INSERT INTO state_override VALUES ('o', 1, ['h1'], 'scheduled_maintenance', " +
        "$from_us, $to_us, 'cleaning', 'ada', 1, NULL, NULL)",
      { from_us: Date.parse(at("14:10")) * 1000, to_us: Date.parse(at("14:40")) * 1000 + 500_000 },
    );
    await markInverterRange(write, range);
  });
  await world.settle();
  assert.deepEqual((await world.states(1, day)).slice(1, 4), [
    "14:00..14:10 forced_outage peers",
    "14:10..14:40 scheduled_maintenance override",
    "14:40..15:00 forced_outage peers",
  ]);
  await world.database.write(async (write) => {
    await write.connection.script("DELETE FROM state_override");
    await markInverterRange(write, range);
  });
  await world.settle();
  assert.deepEqual(await world.snapshot(), before);
  await world.close();
});

Deno.test("each data stream has inverters of its own, of unknown capacity as well", async () => {
  const world = await openInverters({
    ...zoned,
    tags: [
      ...usual.tags.filter(({ tag_no }) => tag_no !== 3),
      tagOf(3, { device_id: "c", capacity: null }),
      tagOf(4, { device_id: "a", capacity: 1e6, sentinel_tag: "backup" }),
    ],
  });
  await world.store([...good, ...every5(4, sunny, 0)]);
  await world.settle();
  const rows = await world.rows("SELECT DISTINCT sensor_no FROM inverter_day ORDER BY ALL");
  assert.deepEqual(rows.map(({ sensor_no }) => sensor_no), [1, 2, 3, 4]);
  assert.deepEqual(await world.states(3, day), ["11:53..02:15 full_capability power"]);
  assert.equal((await world.states(4, day))[1], "12:45..01:30 unknown none");
  await world.close();
});

Deno.test("polar day has all of its hours, polar night none", async () => {
  const arctic = { ...usual, latitude: 69.65, longitude: 18.96, timezone: "Europe/Oslo" };
  const world = await openInverters({ ...arctic, at: "2025-01-01T00:00:00Z" });
  const of_day = (from: string, to: string, value: number) =>
    [1, 2, 3].flatMap((tag) => every5(tag, [from, to], value));
  await world.store([
    ...of_day("2024-06-19T22:00:00Z", "2024-06-20T22:00:00Z", 1e5),
    ...of_day("2024-12-20T06:00:00Z", "2024-12-20T18:00:00Z", 1e5),
  ]);
  await world.settle();
  assert.deepEqual(
    await world.sums(1, "2024-06-20"),
    { daylight_s: 86_400, basis_s: 86_400, unavailable_s: 0 },
  );
  await world.database.write((write) =>
    markInverterRange(write, { site_no: 1, from_day: 20077, to_day: 20077 })
  );
  await world.settle();
  assert.deepEqual(
    await world.sums(1, "2024-12-20"),
    { daylight_s: 0, basis_s: 0, unavailable_s: 0 },
  );
  await world.close();
});

function near(found: number, wanted: number, tolerance: number): void {
  assert.ok(Math.abs(found - wanted) <= tolerance, `${found} is not near ${wanted}`);
}

Deno.test("an inverter without a power is told by its register", async () => {
  const registers = [1, 2, 3].map((tag_no, i) =>
    tagOf(tag_no, {
      device_id: ["a", "b", "c"][i],
      measure: "energy",
      accumulation: "counter",
      capacity: 1e6,
    })
  );
  const world = await openInverters({ ...zoned, tags: [...registers, usual.tags[6]] });
  const hours = (ms: number) => (ms - Date.parse(sunny[0])) / 3_600_000;
  const [from, to] = [Date.parse(at("15:00")), Date.parse(at("17:00"))];
  const stands = (ms: number) =>
    500_000 * (hours(Math.min(ms, from)) + hours(Math.max(ms, to)) - 6);
  await world.store([
    ...every5(20, sunny, 700),
    ...every5(1, sunny, stands),
    ...[2, 3].flatMap((tag) => every5(tag, sunny, (ms) => 500_000 * hours(ms))),
  ].filter(({ tag, at: us }) =>
    tag !== 2 || !(Number(us) >= from * 1000 && Number(us) < to * 1000)
  ));
  await world.settle();
  assert.deepEqual(await world.states(1, day), [
    "11:53..15:00 full_capability power",
    "15:00..17:00 forced_outage peers",
    "17:00..02:15 full_capability power",
  ]);
  assert.deepEqual((await world.states(2, day))[1], "15:00..17:00 full_capability counter");
  await world.close();
});
