// Rules of a site: where they watch, their versions, there and back through the site file.
import { deepEqual, equal, rejects } from "node:assert/strict";
import type { SiteInput } from "../../../src/model/site/file.ts";
import { Catalog } from "../../../src/engine/catalog/catalog.ts";
import { Rules } from "../../../src/engine/rules/rule.ts";
import type { Tag } from "../../../src/model/plant/plant.ts";
import { openSites, plain, refused, words } from "../../help/site.ts";
import { queryRows } from "../../help/query.ts";

type RuleEntry = NonNullable<SiteInput["rules"]>[number];

const site: SiteInput = {
  ...plain,
  device_models: [{
    key: "M",
    points: {
      "Error-17": { label: "Insulation fault", severity: "critical", is_nerc: true },
      "Error-5": { label: "Fan", alarm_class: "derate" },
    },
  }],
  devices: [
    { key: "I1", type: "inverter", device_model: "M", event_tag: "I1.word" },
    { key: "I2", type: "inverter", device_model: "M", event_tag: "I2.word" },
    { key: "MET", type: "met" },
  ],
  tags: [{ name: "I1.alarm", encoding: "integer" }, { name: "I9.alarm", device_key: "I1" }],
  sensors: [
    { tag: "I1.kw", device: "I1", measure: "active_power", scale: 1000 },
    { tag: "I1.kw", device: "I1", measure: "energy", scale: 1000 },
    { tag: "I2.kw", device: "I2", measure: "active_power", scale: 1000, offset: 5 },
    { tag: "wind", device: "MET", measure: "windspeed" },
    { tag: "I1.state", device: "I1", measure: "operating_status", scale: 2 },
    { tag: "poa", component: "met", measure: "poa_front" },
  ],
};

const high = { key: "r", name: "R", kind: "threshold", operator: ">", threshold: 1 } as const;
const point = { key: "r", name: "R", kind: "enum", points: true } as const;

/** The places of one rule: tag, device, scale and offset. */
async function placesOf(rule: RuleEntry) {
  const sites = await openSites();
  await sites.apply({ ...site, rules: [rule] });
  const places = sites.rules.watchpoints.map((it) => [
    it.source_tag,
    sites.catalog.device(it.device_id ?? "")?.key ?? null,
    it.measure,
    it.scale,
    it.offset,
  ]);
  await sites.database.close();
  return places;
}

Deno.test("a rule watches a tag by its name, in the source's unit, on its device", async () => {
  deepEqual(await placesOf({ ...high, tag: "I2.kw" }), [["I2.kw", "I2", "active_power", 1, 0]]);
  deepEqual(await placesOf({ ...high, tag: "poa" }), [["poa", null, "poa_front", 1, 0]]);
  deepEqual(await placesOf({ ...high, tag: "I9.alarm" }), [["I9.alarm", "I1", null, 1, 0]]);
});

Deno.test("a rule watches the sensors of a measure, in its unit; codes as they are", async () => {
  const power = { ...high, measure: "active_power" } as const;
  const [one, two] = [
    ["I1.kw", "I1", "active_power", 1000, 0],
    ["I2.kw", "I2", "active_power", 1000, 5],
  ];
  deepEqual(await placesOf({ ...power, component: "inverter" }), [one, two]);
  deepEqual(await placesOf({ ...power, device_model: "M" }), [one, two]);
  deepEqual(await placesOf({ ...power, device: "I2" }), [two]);
  const root = { ...high, measure: "poa_front", component: "met" } as const;
  deepEqual(await placesOf(root), [["poa", null, "poa_front", 1, 0]]);
  const state = { key: "r", name: "R", kind: "enum", measure: "operating_status" } as const;
  deepEqual(await placesOf({ ...state, codes: [4], device: "I1" }), [
    ["I1.state", "I1", "operating_status", 1, 0],
  ]);
});

Deno.test("a rule watches event words, and a tag of each device by a template", async () => {
  deepEqual(await placesOf({ ...point, event_word: true, device_model: "M" }), [
    ["I1.word", "I1", null, 1, 0],
    ["I2.word", "I2", null, 1, 0],
  ]);
  deepEqual(await placesOf({ ...point, tag: "{device}.alarm", component: "inverter" }), [
    ["I1.alarm", "I1", null, 1, 0],
  ]);
});

Deno.test("points are those of the device's model, sensors only a deviation's", async () => {
  const { apply, rules, catalog, database } = await openSites();
  await apply({
    ...site,
    rules: [
      { ...point, tag: "I1.alarm" },
      { ...point, key: "on", event_word: true, device: "I1" },
      {
        ...{ key: "weak", name: "W", kind: "deviation", from: "peers", limit_pct: 9 },
        ...{ measure: "active_power", device: "I2" },
      },
      { ...high, key: "off", tag: "wind", enabled: false },
    ],
  });
  const by_key = new Map(rules.watchpoints.map((it) => [it.rule.key, it]));
  deepEqual([...by_key.keys()], ["on", "r", "weak"]);
  deepEqual([...by_key.get("on")!.points], [
    [5, { label: "Fan", severity: null, alarm_class: "derate", is_nerc: false }],
    [17, { label: "Insulation fault", severity: "critical", alarm_class: null, is_nerc: true }],
  ]);
  equal(by_key.get("weak")!.points.size, 0);
  const device = catalog.devices.find(({ key }) => key === "I2")!;
  const power = catalog.sensors.find(({ device_id, measure }) =>
    device_id === device.id && measure === "active_power"
  )!;
  deepEqual(
    [by_key.get("weak")!.sensor_no, by_key.get("on")!.sensor_no],
    [power.sensor_no, null],
  );
  await database.close();
});

Deno.test("a template waits for tags that are taken up later", async () => {
  const { apply, rules, catalog, database } = await openSites();
  const rule = { ...point, tag: "{device}.alarm", component: "inverter" } as const;
  await apply({ ...site, rules: [rule] });
  const tagOf = (sensor_tag: string, lane: Tag["lane"] = "signal"): Tag => ({
    ...catalog.tags[0],
    ...{ tag_no: 99, lane, sensor_tag, device_key: null },
  });
  equal(rules.prepareTags([tagOf("I3.alarm"), tagOf("I2.alarm", "model")]), undefined);
  const prepared = rules.prepareTags([tagOf("I2.alarm")])!;
  const { version } = rules;
  rules.adopt(prepared);
  equal(rules.version, version + 1);
  deepEqual(rules.ofTag(99).map(({ source_tag, points }) => [source_tag, points.size]), [
    ["I2.alarm", 2],
  ]);
  equal(rules.prepareTags([tagOf("I2.alarm")]), undefined);
  await database.close();
});

Deno.test("versions rise with what is said, end with a removal, go on when put back", async () => {
  const { apply, tryOut, rules, database } = await openSites();
  const first: SiteInput = { ...site, rules: [{ ...high, tag: "wind" }] };
  const second: SiteInput = { ...site, rules: [{ ...high, tag: "wind", severity: "low" }] };
  const rows = () =>
    database.read((connection) =>
      queryRows(
        connection,
        "SELECT rule_no, version, valid_to IS NULL AS held FROM rule ORDER BY ALL",
      )
    );
  deepEqual(words(await apply(first)).at(-1), "create rule r");
  const spoken: SiteInput = {
    ...site,
    rules: [{ ...high, tag: "wind", deadband: 0, enabled: true }],
  };
  deepEqual(words(await apply(spoken)), []);
  deepEqual(words(await tryOut(second)), ["update rule r severity"]);
  deepEqual(words(await apply(second)), ["update rule r severity"]);
  deepEqual(words(await apply(site)), ["remove rule r"]);
  equal(rules.watchpoints.length, 0);
  deepEqual(words(await apply(second)), ["create rule r"]);
  deepEqual(rules.watchpoints.map(({ rule }) => [rule.rule_no, rule.version]), [[1, 3]]);
  deepEqual((await rows()).map((row) => Object.values(row)), [
    [1, 1, false],
    [1, 2, false],
    [1, 3, true],
  ]);
  const reopened = await Rules.open({ database, catalog: await Catalog.load(database) });
  deepEqual(reopened.watchpoints, rules.watchpoints);
  await database.close();
});

Deno.test("rules and points are shown as declared, and applying that changes nothing", async () => {
  const { apply, show, database } = await openSites();
  const declared: RuleEntry[] = [
    { ...high, key: "a", tag: "wind", deadband: 0.5, on_delay_s: 60 },
    {
      ...{ key: "b", name: "B", kind: "bitmask", mask: "0x8000000000000001", event_word: true },
      ...{ device_model: "M", labels: { 63: "top", 0: "low" }, is_nerc: true },
    },
    { ...point, key: "c", tag: "I1.alarm", enabled: false },
  ];
  await apply({ ...site, rules: declared });
  const shown = await show();
  deepEqual(shown?.rules, [
    declared[0],
    { ...declared[1], mask: "9223372036854775809" },
    declared[2],
  ]);
  deepEqual(shown?.device_models?.[0].points, {
    "Error-5": { label: "Fan", alarm_class: "derate" },
    "Error-17": { label: "Insulation fault", severity: "critical", is_nerc: true },
  });
  deepEqual(words(await apply(shown)), []);
  await database.close();
});

Deno.test("a rule of another site watches its own devices, and no tag of the other", async () => {
  const { apply, rules, database } = await openSites();
  await apply({ ...site, rules: [{ ...high, measure: "active_power", component: "inverter" }] });
  const other: SiteInput = {
    ...plain,
    site: { ...plain.site, key: "t" },
    blocks: [],
    devices: [{ key: "J1", type: "inverter" }],
    tags: [],
    sensors: [{ tag: "J1.kw", device: "J1", measure: "active_power" }],
    rules: [{ ...high, measure: "active_power", component: "inverter" }],
  };
  await apply(other);
  deepEqual(rules.watchpoints.map(({ rule, source_tag }) => [rule.site_no, source_tag]), [
    [1, "I1.kw"],
    [1, "I2.kw"],
    [2, "J1.kw"],
  ]);
  await refused(apply({ ...other, rules: [{ ...high, tag: "wind" }] }), "invalid", "rules[0].tag");
  await database.close();
});

Deno.test("what a site no longer has is watched no longer, and its rules are refused", async () => {
  const { apply, rules, database } = await openSites();
  const rule = { ...high, measure: "active_power", component: "inverter" } as const;
  await apply({ ...site, rules: [rule] });
  const less = { ...site, sensors: site.sensors!.filter(({ tag }) => tag !== "I2.kw") };
  await apply({ ...less, rules: [rule] });
  deepEqual(rules.watchpoints.map(({ source_tag }) => source_tag), ["I1.kw"]);
  const none = { ...site, sensors: [], rules: [rule] };
  await rejects(apply(none));
  equal(rules.watchpoints.length, 1);
  await database.close();
});
