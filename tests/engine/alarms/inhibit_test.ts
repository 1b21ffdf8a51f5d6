// Inhibition: what stands below an alarm of communication or of the grid stays out of the queue.
import { deepEqual, equal } from "node:assert/strict";
import fc from "../../help/costly.ts";
import { type AlarmPlace, isReached, reachOf } from "../../../src/engine/alarms/reach.ts";
import type { OccurrenceDraft } from "../../../src/model/alarms/alarm.ts";
import { fold } from "../../../src/model/alarms/fold.ts";
import { act, clear } from "../../../src/model/alarms/life.ts";
import { readTimelines } from "../../../src/store/alarms/alarm.ts";
import { noon_us, second_us } from "../../help/alarm.ts";
import { openNuisance } from "../../help/nuisance.ts";
import type { PlantDevice } from "../../help/plant.ts";

/** A transformer over two loggers with an inverter each, a meter beside them, and one apart. */
const devices: readonly PlantDevice[] = [
  { id: "transformer", type: "transformer" },
  { id: "logger1", type: "logger", parent_device_id: "transformer" },
  { id: "logger2", type: "logger", parent_device_id: "transformer" },
  { id: "inv1", parent_device_id: "logger1" },
  { id: "inv2", parent_device_id: "logger2" },
  { id: "string1", type: "combiner", parent_device_id: "inv1" },
  { id: "meter", type: "meter", parent_device_id: "transformer" },
  { id: "apart", type: "inverter" },
  { id: "main", type: "meter" },
  { id: "plant", type: "system" },
];

const place = (device_id: string | null, alarm_class: string | null = null): AlarmPlace => (
  { project_no: 1, site_no: 1, source_tag: "tag1", device_id, alarm_class }
);

Deno.test("an alarm reaches what is below it; the plant's own what is beside it", async () => {
  const { catalog, close } = await openNuisance(devices, [{
    ...{ tag_no: 1, sensor_tag: "tag1" },
    sensors: [{ device_id: null }],
  }]);
  const reached = (device_id: string | null, alarm_class: string) => {
    const from = place(device_id, alarm_class);
    const reach = reachOf(catalog, from);
    return reach === undefined ? undefined : devices.map(({ id }) => id)
      .filter((id) => isReached(place(id), { reach, from })).join(" ");
  };
  equal(reached("logger1", "comms"), "inv1 string1");
  equal(reached("inv1", "comms"), "string1");
  equal(reached("string1", "comms"), undefined);
  equal(reached("apart", "grid"), undefined);
  equal(reached("transformer", "grid"), "logger1 logger2 inv1 inv2 string1 meter");
  equal(reached("meter", "grid"), "logger1 logger2 inv1 inv2 string1");
  equal(reached("meter", "comms"), undefined);
  const others = (own: string) => devices.map(({ id }) => id).filter((id) => id !== own).join(" ");
  equal(reached("main", "grid"), others("main"));
  equal(reached("plant", "comms"), others("plant"));
  equal(reached(null, "comms"), others(""));
  equal(reachOf(catalog, { ...place(null, "comms"), source_tag: "?" }), undefined);
  equal(reachOf(catalog, place("gone", "comms")), undefined);
  const site = { reach: "site", from: place(null, "comms") } as const;
  equal(isReached({ ...place("inv1"), site_no: 2 }, site), false);
  equal(isReached(place(null), site), false);
  await close();
});

const rule = (device_id: string, said: Partial<OccurrenceDraft> = {}) => ({
  s: 0,
  origin: "rule" as const,
  rule_no: 1,
  device_id,
  measure: "power",
  source_tag: device_id,
  ...said,
});
const comms = (device_id: string, said: Partial<OccurrenceDraft> = {}) => ({
  ...rule(device_id, { alarm_class: "comms", rule_no: 2, ...said }),
});

async function open() {
  const world = await openNuisance(devices);
  return {
    ...world,
    state: async () =>
      (await world.list()).map((it) => `${it.status} ${it.inhibited_by ?? "-"}`).join(", "),
    clear: (occurrence_no: number, s: number) =>
      world.write(async (changes) => {
        await changes.load({ nos: [occurrence_no] });
        const at_us = noon_us + s * second_us;
        const step = clear(changes.get(occurrence_no)!, {
          at_us,
          recovered_value: 1,
          last_value: 1,
        });
        changes.change(step!.occurrence, step!.events);
      }),
  };
}

Deno.test("an alarm below an active one is shelved at once, and back as that clears", async () => {
  const world = await open();
  await world.raise({ ...comms("logger1"), occurrence_id: "link" });
  await world.raise(
    rule("inv1", { raised_at: noon_us + 5 * second_us }),
    rule("inv2"),
    rule("logger1"),
    rule("inv1", { origin: "source", source_tag: "s" }),
    rule("inv1", { alarm_class: "fire", source_tag: "f" }),
    rule("inv1", { is_late: true, cleared_at: noon_us, source_tag: "l" }),
    rule("inv1", { raised_at: noon_us - 61 * second_us, source_tag: "before" }),
  );
  const others = "open -, open -, open -, open -, open -, open -";
  equal(await world.state(), `open -, shelved 1, ${others}`);
  await world.restart();
  await world.clear(1, 100);
  equal(await world.state(), `open -, open -, ${others}`);
  const told = (await world.details()).filter((it) => !it.startsWith("raised"));
  deepEqual(told.sort(), ["cleared null", 'shelved {"inhibited_by":"link"}', "unshelved null"]);
  const [, { status, resumes, updated_at }] = await world.list();
  deepEqual({ status, resumes, updated_at }, {
    status: "open",
    resumes: null,
    updated_at: noon_us + 100 * second_us,
  });
  await world.raise(rule("inv1", { raised_at: noon_us + 101 * second_us, source_tag: "new" }));
  equal((await world.list()).at(-1)!.status, "open");
  await world.close();
});

Deno.test("what was raised a minute before goes too, unless someone has it", async () => {
  const world = await open();
  const at = (s: number, source_tag: string) =>
    rule("inv1", { raised_at: noon_us + s * second_us, source_tag });
  await world.raise(at(-60.1, "old"), at(-60, "a"), at(-1, "claimed"), at(-1, "gone"), at(3, "b"));
  await world.write(async (changes) => {
    await changes.load({ nos: [3, 4] });
    const taken = act(changes.get(3)!, { action: "claim" }, { user_id: "u", at_us: noon_us });
    if ("step" in taken) changes.change(taken.step.occurrence, taken.step.events);
    const gone = clear(changes.get(4)!, { at_us: noon_us, recovered_value: 1, last_value: 1 })!;
    changes.change(gone.occurrence, gone.events);
  });
  await world.restart();
  await world.raise(comms("logger1"));
  equal(await world.state(), "open -, shelved 6, claimed -, open -, shelved 6, open -");
  await world.close();
});

Deno.test("where two stand above, the other one takes over what the first gives back", async () => {
  const world = await open();
  await world.raise({ ...comms("transformer"), alarm_class: "grid" }, comms("logger1"));
  equal(await world.state(), "open -, shelved 1");
  await world.raise(rule("inv1"));
  equal(await world.state(), "open -, shelved 1, shelved 1");
  await world.clear(1, 10);
  equal(await world.state(), "open -, open -, shelved 2");
  await world.clear(2, 20);
  equal(await world.state(), "open -, open -, open -");
  await world.close();
});

Deno.test("an operator takes it off the shelf, and its own recovery does", async () => {
  const world = await open();
  await world.raise(comms("logger1"));
  await world.raise(rule("inv1"), rule("inv1", { source_tag: "own" }));
  await world.write(async (changes) => {
    await changes.load({ nos: [2] });
    const off = act(changes.get(2)!, { action: "unshelve" }, { user_id: "u", at_us: noon_us });
    if ("step" in off) changes.change(off.step.occurrence, off.step.events);
  });
  await world.clear(3, 5);
  equal(await world.state(), "open -, open -, open -");
  await world.restart();
  await world.clear(1, 10);
  equal(await world.state(), "open -, open -, open -");
  await world.close();
});

Deno.test("what is kept out of the queue is no flood, also after a restart", async () => {
  const world = await open();
  const tags = (count: number, s: number, device_id: string) =>
    Array.from(
      { length: count },
      (_, i) =>
        rule(device_id, { raised_at: noon_us + (s + i) * second_us, source_tag: `T${s + i}` }),
    );
  await world.raise(...tags(5, 0, "inv1"), ...tags(3, 10, "inv2"));
  await world.raise({ ...comms("logger1"), raised_at: noon_us + 20 * second_us });
  await world.raise(...tags(8, 21, "inv1"));
  equal((await world.list()).filter(({ inhibited_by }) => inhibited_by !== null).length, 13);
  await world.clear(9, 40);
  for (const restart of [false, true]) {
    if (restart) await world.restart();
    await world.raise(...tags(3, restart ? 70 : 60, "apart"));
  }
  const floods = (await world.list()).filter(({ is_flood }) => is_flood);
  // 3 of inv2, the link's, then 6: the tenth is the last.
  deepEqual(floods.map(({ source_tag }) => source_tag), ["T72"]);
  await world.close();
});

type Step = {
  readonly kind: "rule" | "link" | "grid" | "clear" | "claim" | "unshelve" | "restart";
  readonly s: number;
  readonly which: number;
};

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom("rule", "rule", "link", "grid", "clear", "clear", "claim", "unshelve"),
  s: fc.integer({ min: -30, max: 100 }),
  which: fc.nat({ max: 50 }),
});
const restart = fc.constant<Step>({ kind: "restart", s: 0, which: 0 });

async function take(world: Awaited<ReturnType<typeof open>>, { kind, s, which }: Step, at: number) {
  const raised_at = noon_us + (at * 20 + s) * second_us;
  const said = { raised_at, updated_at: raised_at, source_tag: `T${at}` };
  if (kind === "restart") return world.restart();
  if (kind === "rule") return world.raise(rule(["inv1", "inv2", "string1"][which % 3], said));
  if (kind === "link") return world.raise(comms(["logger1", "logger2"][which % 2], said));
  if (kind === "grid") return world.raise(comms("meter", { ...said, alarm_class: "grid" }));
  const all = await world.list();
  if (all.length === 0) return;
  const { occurrence_no } = all[which % all.length];
  await world.write(async (changes) => {
    await changes.load({ nos: [occurrence_no] });
    const alarm = changes.get(occurrence_no)!;
    const at_us = Math.max(raised_at, alarm.updated_at);
    const values = { recovered_value: 1, last_value: 1 };
    const acted = kind === "clear"
      ? { step: clear(alarm, { at_us, ...values }) }
      : act(alarm, { action: kind }, { user_id: "u", at_us });
    if ("step" in acted && acted.step) changes.change(acted.step.occurrence, acted.step.events);
  });
}

Deno.test("whatever comes, what is kept out stands below something in force", async () => {
  const steps = fc.array(fc.oneof({ weight: 8, arbitrary: step }, restart), { maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const world = await open();
      for (const [at, step] of steps.entries()) {
        await take(world, step, at);
        const all = await world.list();
        const by_no = new Map(all.map((it) => [it.occurrence_no, it]));
        for (const alarm of all) {
          const { inhibited_by, status } = alarm;
          if (inhibited_by === null) continue;
          const from = by_no.get(inhibited_by)!;
          const reach = reachOf(world.catalog, from)!;
          equal(status, "shelved");
          equal(from.cleared_at, null);
          equal(isReached(alarm, { reach, from }), true);
        }
        const events = await world.database.read((it) => readTimelines(it, all));
        for (const { occurrence_no, status } of all) {
          const own = events.filter((event) => event.occurrence_no === occurrence_no);
          equal(fold(own).status, status);
        }
      }
      await world.close();
    }),
    { numRuns: 10 },
  );
});
