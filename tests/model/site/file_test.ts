// Site files: their form, every cross-check with its path, the schema for editors, the example.
import assert from "node:assert/strict";
import { z } from "zod";
import { Fault } from "../../../src/base/fault.ts";
import { limits } from "../../../src/base/limits.ts";
import { checkSiteFile } from "../../../src/model/site/check.ts";
import { siteJsonSchema } from "../../../src/model/site/file.ts";
import { readSiteText } from "../../../src/model/site/text.ts";
import { flawAt, flaws, head } from "../../help/site_flaw.ts";

const schema_path = new URL("../../../data/site.schema.json", import.meta.url);
const example_path = new URL("../../../data/example.site.toml", import.meta.url);

Deno.test("a site file without lists is right, its defaults filled in", () => {
  const file = checkSiteFile(head);
  assert.deepEqual([file.blocks, file.devices, file.tags, file.sensors], [[], [], [], []]);
  const sensors = [{ tag: "t", component: "met", measure: "ghi" }];
  assert.deepEqual(checkSiteFile({ ...head, sensors }).sensors[0], {
    tag: "t",
    component: "met",
    measure: "ghi",
    scale: 1,
    offset: 0,
    accumulation: "none",
    interval_at: "start",
    sentinel_tag: "default",
  });
});

Deno.test("the form of a site file: each flaw at its path with the wanted form", () => {
  assert.match(flawAt("version", { version: 2 }), /give 1, not 2/);
  assert.match(flawAt("site", { site: undefined }), /is missing/);
  assert.match(flawAt("site.latitude", { site: { ...head.site, latitude: 91 } }), /at most 90/);
  assert.match(flawAt("site.longitude", { site: { ...head.site, longitude: -180.5 } }), /-180/);
  assert.match(flawAt("site.key", { site: { ...head.site, key: "a/b" } }), /letters, digits/);
  assert.match(flawAt("site.name", { site: { ...head.site, name: "a\u0000" } }), /control/);
  assert.match(flawAt("site.name", { site: { ...head.site, name: "\ud800" } }), /control/);
  const sensor = { tag: "t", component: "met", measure: "ghi" };
  const one = (more: object) => ({ sensors: [{ ...sensor, ...more }] });
  assert.match(flawAt("sensors[0].measure", one({ measure: "gih" })), /meant ghi\?/);
  assert.match(flawAt("sensors[0].component", one({ component: "mett" })), /meant met\?/);
  assert.match(flawAt("sensors[0].scale", one({ scale: NaN })), /number/);
  assert.match(flawAt("sensors[0].scale", one({ scale: JSON.parse("1e400") })), /number/);
  assert.match(flawAt("sensors[0].capacity", one({ capacity: 0 })), /more than 0/);
  assert.match(flawAt("sensors[0].tag", one({ tag: "x".repeat(513) })), /at most 512 characters/);
  assert.match(flawAt("sensors[0].register_bits", one({ register_bits: 1.5 })), /whole number/);
});

Deno.test("unknown keys are refused at every level, with the one that was meant", () => {
  const devices = [{ key: "d", tpye: "met", type: "met" }];
  assert.match(flawAt("devices[0].tpye", { devices }), /meant type\?/);
  assert.match(flawAt("device", { device: [] }), /meant devices\?/);
  assert.match(
    flawAt("project.timezon", { project: { ...head.project, timezon: 1 } }),
    /timezone\?/,
  );
  assert.match(flawAt("__proto__", JSON.parse('{"__proto__": 1}')), /no such key/);
});

Deno.test("references that name nothing, keys twice and rings of parents have a path each", () => {
  const devices = [{ key: "INV1", type: "inverter" }];
  const sensor = { tag: "t", device: "INV1", measure: "active_power" };
  assert.match(
    flawAt("sensors[1].device", {
      devices,
      sensors: [sensor, { ...sensor, tag: "u", device: "INV2" }],
    }),
    /there is no "INV2"; meant INV1\?/,
  );
  flawAt("sensors[0].block", { devices, sensors: [{ ...sensor, block: "B" }] });
  flawAt("devices[0].block", { devices: [{ ...devices[0], block: "B" }] });
  flawAt("devices[0].parent", { devices: [{ ...devices[0], parent: "X" }] });
  assert.match(
    flawAt("devices[1].key", { devices: [...devices, ...devices] }),
    /already devices\[0\]/,
  );
  flawAt("blocks[1].key", { blocks: [{ key: "B" }, { key: "B" }] });
  flawAt("tags[2].name", { tags: [{ name: "a" }, { name: "b" }, { name: "a" }] });
  const ring = ["a", "b", "c"].map((key, i, all) => ({
    key,
    type: "met",
    parent: all[(i + 1) % 3],
  }));
  assert.match(flawAt("devices[1].parent", { devices: [...devices, ...ring] }), /round to "a"/);
  flawAt("devices[0].parent", { devices: [{ key: "a", type: "met", parent: "a" }] });
});

Deno.test("a time zone is an IANA name, and the nearest is suggested", () => {
  const zone = (timezone: string) => ({ project: { ...head.project, timezone } });
  assert.match(flawAt("project.timezone", zone("Europe/Madird")), /meant Europe\/Madrid\?/);
  flawAt("project.timezone", zone("+02:00"));
  assert.deepEqual(flaws(zone("America/St_Johns")), []);
  assert.deepEqual(flaws(zone("UTC")), []);
});

Deno.test("accumulation: of increments only, intervals have a length, counters bits", () => {
  const one = (more: object) => ({ sensors: [{ tag: "t", component: "meter", ...more }] });
  const energy = { measure: "energy" };
  flawAt("sensors[0].accumulation", one({ measure: "ghi", accumulation: "counter" }));
  flawAt("sensors[0].interval_s", one({ ...energy, accumulation: "interval" }));
  flawAt("sensors[0].interval_s", one({ ...energy, accumulation: "counter", interval_s: 60 }));
  flawAt("sensors[0].register_bits", one({ ...energy, register_bits: 32 }));
  flawAt("sensors[0].register_modulus", one({ ...energy, register_modulus: 1e6 }));
  const both = { accumulation: "counter", register_bits: 16, register_modulus: 1e6 };
  flawAt("sensors[0].register_modulus", one({ ...energy, ...both }));
  flawAt("sensors[0].scale", one({ ...energy, scale: 0 }));
  flawAt("sensors[0].component", { sensors: [{ tag: "t", measure: "energy" }] });
  assert.deepEqual(flaws(one({ ...energy, accumulation: "interval", interval_s: 900 })), []);
  assert.deepEqual(flaws(one({ ...energy, accumulation: "counter", register_bits: 16 })), []);
});

Deno.test("a tag has any sensors that agree on what its values are, and none twice", () => {
  const devices = [{ key: "M", type: "meter" }];
  const power = { tag: "t", device: "M", measure: "active_power" };
  const energy = { tag: "t", device: "M", measure: "energy" };
  const list = (...sensors: object[]) => ({ devices, sensors });
  assert.deepEqual(flaws(list(power, energy, { ...energy, measure: "energy_export" })), []);
  assert.deepEqual(flaws(list(power, { ...power, measure: "reactive_power" })), []);
  const counter = { ...energy, accumulation: "counter" };
  assert.deepEqual(flaws(list(counter, { ...counter, measure: "energy_export" })), []);
  flawAt("sensors[1].accumulation", list(power, counter));
  assert.match(flawAt("sensors[2]", list(power, energy, energy)), /same sensor as sensors\[1\]/);
  assert.match(flawAt("sensors[1]", list(power, { ...power, component: "meter" })), /same/);
});

Deno.test("what is wrong in form hides no other flaw, and makes none", () => {
  const devices = [
    { key: "A", type: "invertor", event_tag: "A.events" },
    { key: "B", type: "inverter", parent: "C", colour: "red" },
    { key: "D", type: "meter", parent: "A" },
    { key: "B", type: "meter" },
  ];
  const sensors = [
    { tag: "a", device: "A", measure: "active_power" },
    { tag: "c", device: "E", measure: "active_power" },
    { tag: "b", device: "B", measure: "activ_power" },
    { tag: "d", device: "F", measure: "active_power" },
  ];
  const found = flaws({ devices, sensors });
  assert.deepEqual(found.map((it) => it.split(": ")[0]), [
    "devices[0].type",
    "devices[1].colour",
    "sensors[2].measure",
    "devices[3].key",
    "devices[1].parent",
    "sensors[1].device",
    "sensors[3].device",
  ]);
  assert.match(found[3], /already devices\[1\]/);
  // Names of a part that can't be read leave the rest alone.
  assert.equal(flaws({ devices: [{ ...devices[1], parent: 7 }], project: 5 }).length, 3);
  const ruled = { key: "r", kind: "threshold", match: { tag: "b" } };
  const near = flaws({ sensors: [sensors[2]], rules: [ruled] });
  assert.deepEqual(near.filter((it) => it.startsWith("rules") && /there is no "b"/.test(it)), []);
});

Deno.test("a formula is not blamed for a tag that another flaw hides", () => {
  const sum = (formula: string) => ({ name: "sum", unit: "W", derived: { formula } });
  const blamed = (part: object, formula = "[p] * 2") =>
    flaws({ tags: [sum(formula)], ...part }).filter((it) => it.includes("formula"));
  const there = /^tags\[0\]\.derived\.formula: there is no tag "p"/;
  assert.match(blamed({})[0], there);
  assert.match(blamed({ devices: [{ key: "d", type: "invertr" }] })[0], there);
  const wrong = { name: "p", unit: "W", carry_s: -1 };
  assert.deepEqual(blamed({ tags: [sum("[p] * 2"), wrong] }), []);
  assert.deepEqual(blamed({ tags: [sum("[p] * 2"), { nme: "p", unit: "W" }] }), []);
  const sensor = { tag: "p", component: "met", measure: "ghii" };
  assert.deepEqual(blamed({ sensors: [sensor] }), []);
  const points = [{ tag: "p", register: 1, type: "uint61" }];
  const source = { key: "f", kind: "modbus", host: "h", maps: [{ key: "m", points }] };
  assert.deepEqual(blamed({ sources: [{ ...source, units: [{ unit: 1, map: "m" }] }] }), []);
});

Deno.test("all flaws come at once, up to the bound", () => {
  const sensors = Array.from({ length: 300 }, () => ({ tag: "", measure: "nothing" }));
  const found = flaws({ sensors });
  assert.equal(found.length, limits.flaws_shown);
  assert.equal(found[2].startsWith("sensors[1].tag: "), true);
});

Deno.test("a long chain of parents is checked in one pass", () => {
  const devices = Array.from({ length: 20_000 }, (_, i) => ({
    key: `d${i}`,
    type: "met",
    parent: i === 0 ? "d19999" : `d${i - 1}`,
  }));
  flawAt("devices[0].parent", { devices });
});

Deno.test("text that is no TOML, no JSON or no UTF-8 is refused with its place", () => {
  const read = (text: string, syntax: "toml" | "json") => () =>
    readSiteText(new TextEncoder().encode(text), syntax);
  assert.throws(read("a = 1\nb = = 2", "toml"), /line 2, column/);
  assert.throws(read('{"a": 1,}', "json"), /is not JSON/);
  assert.throws(() => readSiteText(Uint8Array.of(0xff), "json"), /UTF-8/);
  assert.throws(read("a = 1979-05-27\na = 2", "toml"), Fault);
  assert.equal(JSON.stringify(read("a = 1", "toml")()), '{"a":1}');
});

Deno.test("the example file is right, and the schema for editors accepts it", async () => {
  const example = readSiteText(await Deno.readFile(example_path), "toml");
  assert.equal(checkSiteFile(example).sensors.length, 11);
  const schema = z.fromJSONSchema(siteJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
  assert.equal(schema.safeParse(example).success, true);
  assert.equal(schema.safeParse({ ...example as object, sites: [] }).success, false);
  assert.equal(schema.safeParse({ ...head, site: { key: "s" } }).success, false);
  const inverter = (pv: object) => ({ ...head, devices: [{ key: "d", type: "inverter", pv }] });
  assert.equal(schema.safeParse(inverter({ gamma: -0.01, tracker: {} })).success, true);
  assert.equal(schema.safeParse(inverter({ gamma: 0.01 })).success, false);
  const states = (status: object) => ({ ...head, device_models: [{ key: "m", status }] });
  assert.equal(schema.safeParse(states({ 3: "suspended" })).success, true);
  assert.equal(schema.safeParse(states({ 3: "supended" })).success, false);
});

Deno.test("data/site.schema.json is the schema (GOLDEN=update writes it)", async () => {
  const text = JSON.stringify(siteJsonSchema(), null, 2) + "\n";
  if (Deno.env.get("GOLDEN") === "update") await Deno.writeTextFile(schema_path, text);
  assert.equal(await Deno.readTextFile(schema_path), text);
});
