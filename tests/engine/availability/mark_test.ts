// When availability is computed: marks, quarter-hours, what is stored of it, and what survives.
import assert from "node:assert/strict";
import { Availability } from "../../../src/engine/availability/availability.ts";
import { dayNumber } from "../../../src/model/time/calendar.ts";
import { markInverterDays } from "../../../src/store/availability/availability.ts";
import type { Database } from "../../../src/store/database.ts";
import { every5, openInverters, tagOf } from "./availability_help.ts";
import { runQuery } from "../../help/query.ts";
import { passing, until } from "../../help/until.ts";

const plain = {
  at: "2024-06-05T12:00:00Z",
  timezone: "America/Denver",
  devices: [{ id: "a" }, { id: "b" }],
  tags: [
    tagOf(1, { device_id: "a", capacity: 1e6 }),
    tagOf(2, { device_id: "b", capacity: 1e6 }),
    tagOf(5, { device_id: "a", measure: "energy", accumulation: "counter", capacity: 1e6 }),
  ],
};

type World = Awaited<ReturnType<typeof openInverters>>;

/** Good days of June 2024, from 11:00 to 03:00 UTC. */
const goodDays = (days: readonly number[], tags = [1, 2], value: number | undefined = 500_000) =>
  days.flatMap((day) => {
    const [from, to] = [`2024-06-0${day}T11:00:00Z`, `2024-06-0${day + 1}T03:00:00Z`];
    return tags.flatMap((tag) => every5(tag, [from, to], value));
  });

const marks = async (world: World) =>
  (await world.rows("SELECT count(*)::INTEGER AS n FROM inverter_stale"))[0].n;

/** The database, but for what happens to a write. */
function withWrites(
  { database }: World,
  around: (write: () => Promise<void>) => Promise<void>,
): Database {
  const writeOn: Database["writeOn"] = (connection, work) =>
    database.writeOn(connection, async (write) => {
      let result;
      await around(async () => void (result = await work(write)));
      return result!;
    });
  return { session: () => database.session(), committed_us: 0, writeOn } as unknown as Database;
}

Deno.test("a late sample changes what hangs on it and nothing else", async () => {
  const world = await openInverters(plain);
  await world.store(goodDays([1, 2, 3]));
  await world.settle();
  assert.equal(await marks(world), 0);
  const before = await world.snapshot();
  await world.store([{ tag: 1, at: "2024-06-02T18:02:00Z", value: 510_000 }]);
  await world.settle();
  assert.deepEqual(await world.snapshot(), before);
  await world.store(every5(1, ["2024-06-02T18:00:00Z", "2024-06-02T18:15:00Z"], 0));
  await world.store([{ tag: 1, at: "2024-06-02T18:02:00Z", value: 0 }]);
  await world.settle();
  const after = await world.snapshot();
  const old = new Set(before.map((row) => JSON.stringify(row)));
  const changed = after.filter((row) => !old.has(JSON.stringify(row)));
  assert.ok(
    changed.every(({ day, sensor_no }) => day === dayNumber("2024-06-02") && sensor_no === 1),
  );
  assert.equal(changed.length, 1 + 3);
  await world.close();
});

Deno.test("days worked out in any order are the same as worked out at once", async () => {
  const [at_once, bit_by_bit] = [await openInverters(plain), await openInverters(plain)];
  const silent = (us: unknown) =>
    Number(us) > Date.parse("2024-06-01T20:00:00Z") * 1000 &&
    Number(us) < Date.parse("2024-06-04T16:00:00Z") * 1000;
  const all = [
    ...goodDays([1, 2, 3, 4]),
    ...goodDays([1, 2, 3, 4], [5]).map((it) => ({ ...it, value: Number(it.at) / 7.2e6 })),
  ].filter(({ tag, at }) => tag === 2 || !silent(at));
  await at_once.store(all);
  await at_once.settle();
  for (const day of [3, 1, 4, 2]) {
    const from_us = Date.parse(`2024-06-0${day}T06:00:00Z`) * 1000;
    const of_day = (us: unknown) => Number(us) >= from_us && Number(us) < from_us + 86_400e6;
    await bit_by_bit.store(all.filter(({ at }) => of_day(at)));
    await bit_by_bit.settle();
  }
  assert.deepEqual(await bit_by_bit.snapshot(), await at_once.snapshot());
  const spans = await at_once.states(1, "2024-06-02");
  assert.equal(spans.length, 1);
  assert.match(spans[0], /counter$/);
  await Promise.all([at_once.close(), bit_by_bit.close()]);
});

Deno.test("a pass that dies leaves its marks, and one after it does the work", async () => {
  const world = await openInverters(plain);
  await world.store(goodDays([1, 2]));
  await world.roll.settle();
  const waiting = await marks(world);
  assert.ok(Number(waiting) > 0);
  const dying = withWrites(world, async (write) => {
    await write();
    throw new Error("killed before the commit");
  });
  const killed = await Availability.open({ ...world, database: dying });
  await assert.rejects(killed.settle(), /killed/);
  await killed.close();
  assert.equal(await marks(world), waiting);
  assert.deepEqual(await world.snapshot(), []);
  await world.reopen();
  await world.availability.settle();
  assert.equal(await marks(world), 0);
  assert.equal((await world.snapshot()).filter((row) => "basis_s" in row).length, 2 * 5);
  await world.close();
});

Deno.test("a site that fails holds no other site up, and stays marked", async () => {
  const world = await openInverters(plain);
  await world.store(goodDays([1, 2]));
  await world.roll.settle();
  await world.database.write(({ connection }) =>
    connection.script("INSERT INTO inverter_stale VALUES (0, 1)")
  );
  let first = true;
  const failing = withWrites(world, async (write) => {
    const fails = first;
    first = false;
    if (fails) throw new Error("the first site fails");
    await write();
  });
  const availability = await Availability.open({ ...world, database: failing });
  await assert.rejects(availability.settle(), /the first site fails/);
  assert.equal(await marks(world), 1);
  assert.equal((await world.snapshot()).filter((row) => "basis_s" in row).length, 2 * 5);
  await availability.settle();
  assert.equal(await marks(world), 0);
  await availability.close();
  await world.close();
});

Deno.test("a day that is marked again while it is worked out stays marked", async () => {
  const world = await openInverters(plain);
  await world.store(goodDays([1, 2]));
  await world.roll.settle();
  let again = true;
  const racing = withWrites(world, async (write) => {
    if (again) await markAgain();
    await write();
  });
  const markAgain = async () => {
    again = false;
    const session = await world.database.session();
    await runQuery(session, "INSERT INTO inverter_stale VALUES (1, $day)", {
      day: dayNumber("2024-06-02"),
    });
    session.close();
  };
  const raced = await Availability.open({ ...world, database: racing });
  const stop = new AbortController();
  const running = raced.loop.run(stop.signal);
  const meanwhile = passing(world.clock, { step_ms: 100, most_ms: 10_000 });
  await until(() => !again, { meanwhile });
  stop.abort();
  await running;
  assert.deepEqual(
    await world.rows("SELECT DISTINCT day FROM inverter_stale"),
    [{ day: dayNumber("2024-06-02") }],
  );
  await raced.settle();
  assert.equal(await marks(world), 0);
  await raced.close();
  await world.close();
});

Deno.test("today is worked out as its quarter-hours pass, of a silent site as well", async () => {
  const world = await openInverters({ ...plain, at: "2024-06-03T16:05:00Z" });
  await world.store([
    ...goodDays([1, 2]),
    ...[1, 2].flatMap((tag) => every5(tag, ["2024-06-03T11:00:00Z", "2024-06-03T16:05:00Z"], 5e5)),
  ]);
  await world.roll.settle();
  const stop = new AbortController();
  const running = world.availability.loop.run(stop.signal);
  const today = async () => (await world.states(1, "2024-06-03")).at(-1);
  const untilToday = async (wanted: string) => {
    const meanwhile = passing(world.clock, { step_ms: 100, most_ms: 300_000 });
    await until(async () => await today() === wanted, { what: wanted, meanwhile });
  };
  await untilToday("11:52..16:00 full_capability power");
  world.clock.now_us = Date.parse("2024-06-03T16:44:00Z") * 1000;
  await untilToday("16:15..16:30 unknown none");
  assert.equal((await world.states(1, "2024-06-03"))[0], "11:52..16:15 full_capability power");
  world.clock.now_us = Date.parse("2024-06-05T13:30:00Z") * 1000;
  await until(async () => await world.sums(1, "2024-06-05") !== undefined, {
    meanwhile: passing(world.clock, { step_ms: 2_000, most_ms: 1_000_000 }),
  });
  assert.equal((await world.states(1, "2024-06-03")).at(-1), "16:15..02:16 unknown none");
  assert.equal((await world.sums(2, "2024-06-04"))!.basis_s, 0);
  stop.abort();
  await running;
  await world.close();
});

Deno.test("what is asked right after a start comes before the first look", async () => {
  const world = await openInverters(plain);
  await world.store(goodDays([1]));
  await world.roll.settle();
  const waited: number[] = [];
  const sleep = (wait_ms: number, ...signals: readonly AbortSignal[]) => {
    waited.push(wait_ms);
    return world.effects.sleep(wait_ms, ...signals);
  };
  const availability = await Availability.open({
    ...world,
    effects: { ...world.effects, sleep },
  });
  const stop = new AbortController();
  const running = availability.loop.run(stop.signal);
  assert.deepEqual(waited, [2_000]);
  const meanwhile = passing(world.clock, { step_ms: 100, most_ms: 10_000 });
  await until(async () => (await world.snapshot()).length > 0, { meanwhile });
  stop.abort();
  await running;
  await availability.close();
  await world.close();
});

Deno.test("a clock that was days ahead leaves today to be worked out as it passes", async () => {
  const world = await openInverters({ ...plain, at: "2024-06-03T16:05:00Z" });
  const power = (from: string, to: string) =>
    world.store(
      [1, 2].flatMap((tag) => every5(tag, [`2024-06-03T${from}:00Z`, `2024-06-03T${to}:00Z`], 5e5)),
    );
  await power("11:00", "16:05");
  for (const step_ms of [0, 3 * 86_400_000]) {
    world.clock.step(step_ms);
    await world.settle();
  }
  world.clock.step(-3 * 86_400_000);
  for (const [from, to, over] of [["16:05", "16:35", "16:30"], ["16:35", "17:05", "17:00"]]) {
    await power(from, to);
    world.clock.advance(30 * 60_000);
    await world.roll.settle();
    // As its loop does, whom nobody hurries.
    const stop = new AbortController();
    const running = world.availability.loop.run(stop.signal);
    const today = async () => (await world.states(1, "2024-06-03")).at(-1);
    await until(async () => (await today())?.includes(over) === true, {
      what: over,
      meanwhile: passing(world.clock, { step_ms: 100, most_ms: 10_000 }),
    });
    assert.equal(await today(), `11:52..${over} full_capability power`);
    stop.abort();
    await running;
    await world.reopen();
  }
  await world.close();
});

Deno.test("a changed site marks its days; what stands for no inverter is forgotten", async () => {
  const world = await openInverters(plain);
  await world.store(goodDays([1, 2]));
  await world.settle();
  await world.database.write(async (write) => {
    await write.connection.script("UPDATE device SET type = 'combiner' WHERE id = 'b'");
    await markInverterDays(write, 1);
  });
  await world.catalog.reload();
  assert.equal(await marks(world), 5);
  await world.settle();
  const rows = await world.rows("SELECT DISTINCT sensor_no FROM inverter_day");
  assert.deepEqual(rows, [{ sensor_no: 1 }]);
  assert.equal(await marks(world), 0);
  await world.close();
});

Deno.test("a day that has not begun is left marked", async () => {
  const world = await openInverters(plain);
  const day = dayNumber("2024-06-09");
  await world.database.write(({ connection }) =>
    runQuery(connection, "INSERT INTO inverter_stale VALUES (1, $day)", { day })
  );
  await world.settle();
  assert.equal(await marks(world), 1);
  assert.deepEqual(await world.snapshot(), []);
  await world.close();
});

Deno.test("days of silence are made up for, unless all data is old", async () => {
  const world = await openInverters(plain);
  await world.store(goodDays([1, 2]));
  await world.settle();
  const days = async () =>
    (await world.rows("SELECT count(DISTINCT day)::INTEGER AS n FROM inverter_day"))[0].n;
  assert.equal(await days(), 5);
  world.clock.now_us += 40 * 86_400_000_000;
  await world.settle();
  assert.equal(await days(), 45);
  const other = await openInverters({ ...plain, at: "2024-08-05T12:00:00Z" });
  await other.store(goodDays([1, 2]));
  await other.settle();
  const known = await other.rows("SELECT DISTINCT day FROM inverter_day ORDER BY day");
  assert.deepEqual(known.map(({ day }) => day), [19875, 19876]);
  await Promise.all([world.close(), other.close()]);
});
