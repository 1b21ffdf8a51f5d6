// Site files there and back: what is shown, applied again, changes nothing.
import assert from "node:assert/strict";
import fc from "../../help/costly.ts";
import { checkSiteFile } from "../../../src/model/site/check.ts";
import { readSiteText } from "../../../src/model/site/text.ts";
import { plant_kinds, plant_tables } from "../../../src/store/site/site.ts";
import { openSites, plain, words } from "../../help/site.ts";
import { queryRows } from "../../help/query.ts";

Deno.test("what is shown of the example applies without a change", async () => {
  const { apply, show, database } = await openSites();
  const path = new URL("../../../data/example.site.toml", import.meta.url);
  const example = readSiteText(await Deno.readFile(path), "toml");
  await apply(example);
  const shown = await show("la-mancha-1");
  assert.deepEqual((await apply(shown)).changes, []);
  assert.deepEqual(shown?.tags, [
    { name: "inv1.alarm_word", class: "alarms", encoding: "integer", device_key: "INV1" },
    // Their values are codes of a rule.
    { name: "inv1.status", encoding: "integer" },
    { name: "inv2.status", encoding: "integer" },
    { name: "met1.poa", unit: "W/m2", carry_s: 300 },
  ]);
  assert.deepEqual(shown?.sensors?.[0], {
    tag: "inv1.p_ac_kw",
    device: "INV1",
    measure: "active_power",
    scale: 1000,
    capacity: 250000,
  });
  await database.close();
});

const pv_arbitrary = fc.record({
  rated_dc_w: fc.constantFrom(1200, 1300),
  rated_ac_w: fc.constant(1000),
  gamma: fc.constantFrom(undefined, -0.0035, -0.004, 0),
  losses: fc.constantFrom(undefined, 0.14, 0),
  efficiency_curve: fc.constantFrom(undefined, [[0, 0], [1, 0.97]]),
  mount: fc.constantFrom(
    {},
    { tilt: 20, azimuth: 180 },
    { tilt: 20, azimuth: 0 },
    { tracker: { backtrack: true } },
    { tracker: { max_angle: 52 } },
  ),
  temperature: fc.constantFrom(
    undefined,
    { model: "faiman" },
    { model: "sapm", a: -3.56, b: -0.06 },
  ),
}).map(({ mount, ...pv }) => ({ ...pv, ...mount }));

const inverter_arbitrary = fc.record({
  type: fc.constant("inverter"),
  device_model: fc.constant("M1"),
  event_tag: fc.constantFrom(undefined, "t2", "t4"),
  pv: fc.option(pv_arbitrary, { nil: undefined }),
});

const meter_arbitrary = fc.record({
  type: fc.constant("meter"),
  device_model: fc.constantFrom(undefined, "M2"),
  grid: fc.constantFrom(undefined, {}, { losses: 0 }, { losses: 0.1, limit_w: 5 }),
});

const rule_arbitrary = fc.record({
  key: fc.constantFrom("R1", "R2"),
  name: fc.constant("R"),
  what: fc.constantFrom(
    { kind: "stale", max_age_s: 60 },
    { kind: "threshold", operator: "<", threshold: 0, deadband: 0 },
    { kind: "outside", low: -1, high: 1, deadband: 0.5 },
    { kind: "bitmask", mask: [63, 0], labels: { 63: "top" } },
    { kind: "enum", codes: [2, -1, 2], labels: { "-1": "less", 2: "two" } },
    { kind: "rate_of_change", limit_per_min: 1, over_s: 60 },
  ),
  where: fc.constantFrom<object>(
    { tag: "t1" },
    { tag: "{device}", component: "inverter" },
    { measure: "active_power", component: "meter" },
    { event_word: true, device_model: "M1" },
  ),
  on_delay_s: fc.constantFrom(undefined, 0, 5),
  enabled: fc.constantFrom(undefined, true, false),
  alarm_class: fc.constantFrom(undefined, "comms"),
}).map(({ what, where, ...rule }) => ({ ...rule, ...what, ...where }));

/** Site files with few names, so that references meet; not all of them are right. */
const file_arbitrary = fc.record({
  rules: fc.uniqueArray(rule_arbitrary, { selector: (rule) => rule.key, maxLength: 2 }),
  blocks: fc.uniqueArray(fc.constantFrom("B1", "B2"), { minLength: 1 }),
  device_models: fc.record({
    pv: fc.option(pv_arbitrary, { nil: undefined }),
    status: fc.constantFrom(undefined, "sunspec", {}, { 3: "suspended", 0: "unknown" }),
    points: fc.constantFrom(undefined, {}, {
      "Error-7": { label: "Seven", is_nerc: true },
      "Error-3": { label: "Three", severity: "low" },
    }),
    events: fc.constantFrom("sunspec", { 63: "forced_outage", 5: "suspended" }),
  }).map((model) => [{ key: "M1", ...model }, { ...model, key: "M2", pv: undefined }]),
  devices: fc.uniqueArray(
    fc.record({
      rest: fc.oneof(inverter_arbitrary, meter_arbitrary),
      key: fc.constantFrom("D1", "D2", "D3"),
      name: fc.option(fc.constantFrom("D1", "other"), { nil: undefined }),
      block: fc.option(fc.constantFrom("B1", "B2"), { nil: undefined }),
      parent: fc.option(fc.constantFrom("D1", "D2"), { nil: undefined }),
    }).map(({ rest, ...device }) => ({ ...device, ...rest })),
    { selector: (device) => device.key },
  ),
  tags: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom("t1", "t2", "t3"),
      device_key: fc.option(fc.constantFrom("D1", "X"), { nil: undefined }),
      carry_s: fc.option(fc.constantFrom(900, 60), { nil: undefined }),
    }),
    { selector: (tag) => tag.name },
  ),
  sensors: fc.array(
    fc.record({
      tag: fc.constantFrom("t1", "t2"),
      device: fc.option(fc.constantFrom("D1", "D2"), { nil: undefined }),
      component: fc.option(fc.constantFrom("inverter", "meter"), { nil: undefined }),
      measure: fc.constantFrom("active_power", "energy", "energy_export"),
      block: fc.option(fc.constantFrom("B1", "B2"), { nil: undefined }),
      scale: fc.constantFrom(1, 1000),
    }),
    { maxLength: 4 },
  ),
});

Deno.test("any right file after any other: applied, shown, applied, no change", async () => {
  const { apply, show, database } = await openSites();
  let right = 0;
  const trial = fc.asyncProperty(file_arbitrary, async ({ blocks, ...lists }) => {
    const file = { ...plain, ...lists, blocks: blocks.map((key) => ({ key })) };
    try {
      checkSiteFile(file);
    } catch {
      return;
    }
    right++;
    await apply(file);
    assert.deepEqual((await apply(file)).changes, []);
    assert.deepEqual(words(await apply(await show())), []);
  });
  await fc.assert(trial, { numRuns: 500, seed: 7 });
  assert.ok(right > 10, `only ${right} files were right`);
  await database.close();
});

Deno.test("the columns that are stored are those of the tables, in their order", async () => {
  const { database } = await openSites();
  for (const kind of plant_kinds) {
    const found = await database.read((connection) =>
      queryRows<{ name: string }>(
        connection,
        "SELECT column_name AS name FROM duckdb_columns() WHERE table_name = $kind " +
          "ORDER BY column_index",
        { kind },
      )
    );
    assert.deepEqual(found.map(({ name }) => name), Object.keys(plant_tables[kind].columns));
  }
  await database.close();
});
