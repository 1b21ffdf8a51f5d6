// Sources as they are written: their form, what contradicts itself or the site, and back again.
import assert from "node:assert/strict";
import { parse } from "smol-toml";
import { Fault, type Flaw } from "../../../src/base/fault.ts";
import { checkSiteFile } from "../../../src/model/site/check.ts";
import {
  parseSource,
  shortSource,
  source_form,
  sourceText,
} from "../../../src/model/sources/form.ts";
import { source_kinds } from "../../../src/model/sources/kind.ts";
import { source_definitions, sourceDefinition } from "../../../src/model/sources/kinds.ts";
import { readSource } from "../../help/source.ts";
import { plain } from "../../help/site.ts";
import { inverters, modbusSource } from "../../help/sources.ts";

/** The flaws of a site with some sources. */
function flawsOf(...sources: unknown[]): readonly Flaw[] {
  const { blocks: _blocks, tags: _tags, sensors: _sensors, ...rest } = plain;
  try {
    checkSiteFile({ ...rest, devices: inverters(3), sources });
    return [];
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    return error.flaws;
  }
}

const source = (more: object = {}) => ({ ...modbusSource(1), ...more });
const map = (...points: object[]) => source({ maps: [{ key: "m", points }] });
const plainPoint = { tag: "{device}.x", register: 5 };

Deno.test("the example of every kind is right, and its short form is what was written", () => {
  for (const kind of source_kinds) {
    const { example } = source_definitions[kind].documentation;
    const entry = source_form.parse(example);
    assert.deepEqual(sourceDefinition({ kind }).flawsOf(entry), []);
    assert.deepEqual(shortSource(entry), example);
    assert.deepEqual(parseSource(sourceText(entry)), entry);
  }
});

Deno.test("the page about sources shows sources that a site takes", () => {
  const [, text] = /```toml\n(\[\[sources\]\][^`]*)```/.exec(readSource("docs/sources.md").text)!;
  const { sources } = parse(text) as { sources: object[] };
  const { blocks: _blocks, tags: _tags, sensors: _sensors, ...rest } = plain;
  const devices = ["INV-1", "INV-2"].map((key) => ({ key, type: "inverter" }));
  assert.equal(checkSiteFile({ ...rest, devices, sources }).sources.length, 1);
});

Deno.test("the page about MQTT shows sources that a site takes", () => {
  const blocks = Array.from(
    readSource("docs/mqtt.md").text.matchAll(/```toml\n(\[\[sources[^`]*)```/g),
    ([, toml]) =>
      (parse(toml) as { sources: { topics?: object[]; setpoints?: object[] }[] }).sources,
  );
  const [[whole], batch, [charger], [edge], [set]] = blocks;
  const { topics } = batch as { topics?: object[] };
  assert.equal(blocks.length, 5);
  assert.deepEqual(flawsOf(whole), []);
  assert.deepEqual(flawsOf({ ...whole, topics }), []);
  const setpoints = charger.setpoints!.map((it) => ({ ...it, device: "I1" }));
  for (const it of [{ ...charger, setpoints }, edge, set]) assert.deepEqual(flawsOf(it), []);
});

Deno.test("what is wrong with a source at a broker is told at its place", () => {
  const topic = { topic: "t/{d}", tag: "{d}" };
  const mqtt = (more: object, ...topics: object[]) => ({
    ...{ key: "k", kind: "mqtt", host: "b", topics: topics.length > 0 ? topics : [topic] },
    ...more,
  });
  const edge = (more: object) => ({ key: "k", kind: "sparkplug", host: "b", ...more });
  for (
    const [wrong, path, message] of [
      [mqtt({ ca_file: "ca.pem" }), "ca_file", /needs tls = true/],
      [mqtt({ password_file: "p" }), "user", /is missing: whose password/],
      [mqtt({ tls: true, cert_file: "c" }), "key_file", /belong together/],
      [mqtt({ tls: true, key_file: "c" }), "cert_file", /belong together/],
      [mqtt({ host: "mqtts://b" }), "host", /name or an address alone/],
      [mqtt({ status_topic: "a/+" }), "status_topic", /without \+ #/],
      [mqtt({}, { topic: "t/x{d}", tag: "a" }), "topics[0].topic", /whole level/],
      [mqtt({}, { topic: "t/{d}", tag: "a" }), "topics[0].tag", /leaves out \{d\}/],
      [mqtt({}, { topic: "t", tag: "{d}" }), "topics[0].tag", /nothing can be filled in/],
      [mqtt({}, { ...topic, time: "ts" }), "topics[0].value", /with time the payload is JSON/],
      [mqtt({}, { ...topic, value: "a..b" }), "topics[0].value", /can't be read at/],
      [mqtt({}, { ...topic, value: "a.*" }), "topics[0].tag", /leaves out \{key\}/],
      [mqtt({}, { ...topic, value: "a", time: "*" }), "topics[0].time", /can't be each member/],
      [mqtt({}, { ...topic, value: "a", name: "n" }), "topics[0].tag", /leaves out \{name\}/],
      [mqtt({}, { topic: "a", tag: "x" }, { topic: "b", tag: "x" }), "topics[1].tag", /already/],
      [edge({ tag: "{device}" }), "tag", /leaves out \{metric\}/],
      [edge({ node_tag: "{device}.{metric}" }), "node_tag", /has \{device\}, but/],
      [edge({ host_id: "a/b" }), "host_id", /one level/],
      [edge({ groups: ["+"] }), "groups[0]", /one level/],
    ] as const
  ) {
    const flaws = flawsOf(wrong);
    const found = flaws.find((it) => it.path === `sources[0].${path}`);
    assert.match(found?.message ?? JSON.stringify(flaws), message, path);
  }
});

Deno.test("the page's maps of makes are maps that a site takes", () => {
  const { text } = readSource("docs/sources.md");
  const maps = Array.from(
    text.matchAll(/```toml\n(\[\[sources\.maps\]\][^`]*)```/g),
    ([, toml]) => (parse(toml) as { sources: { maps: { key: string }[] } }).sources.maps[0],
  );
  assert.equal(maps.length, 3);
  const units = maps.map(({ key }, i) => ({ unit: i + 1, map: key, device: `I${i + 1}` }));
  assert.deepEqual(flawsOf(source({ maps, units })), []);
});

Deno.test("what contradicts itself is named with its place", () => {
  const cases: [object, string, RegExp][] = [
    [
      source({ kind: "modbuss" }),
      "sources[0].kind",
      /give one of modbus, mqtt, .*; meant modbus\?/,
    ],
    [source({ host: "http://plc" }), "sources[0].host", /a name or an address alone/],
    [source({ host: "10.0.0.12:1502" }), "sources[0].host", /the port is a key of its own/],
    [source({ host: undefined }), "sources[0].units[0].host", /the source has none/],
    [source({ evry_s: 5 }), "sources[0].evry_s", /there is no such key; meant every_s/],
    [
      source({ units: [{ unit: 1, map: "n" }] }),
      "sources[0].units[0].map",
      /there is no map "n"/,
    ],
    [
      source({ units: [{ unit: 1, map: "m", device: "I9" }] }),
      "sources[0].units[0].device",
      /there is no device "I9"; meant I1/,
    ],
    [map({ tag: "x" }), "sources[0].maps[0].points[0].sunspec", /either sunspec or register/],
    [map({ tag: "x", sunspec: "W" }), "sources[0].maps[0].points[0].sunspec", /such as 103\.W/],
    [
      map({ tag: "x", register: 1, type: "string" }),
      "sources[0].maps[0].points[0].registers",
      /is missing/,
    ],
    [
      map({ ...plainPoint, type: "float32", mask: 3 }),
      "sources[0].maps[0].points[0].mask",
      /whole numbers/,
    ],
    [map({ ...plainPoint, scale: 0 }), "sources[0].maps[0].points[0].scale", /other than 0/],
    [
      map({ tag: "x", register: 105_000 }),
      "sources[0].maps[0].points[0].register",
      /first_register = 40001/,
    ],
    [
      source({ maps: [{ key: "m", first_register: 40_001, points: [plainPoint] }] }),
      "sources[0].maps[0].points[0].register",
      /before the map's first_register 40001/,
    ],
  ];
  for (const [wrong, path, message] of cases) {
    const flaw = flawsOf(wrong).find((it) => it.path === path);
    assert.ok(flaw, `${path}: ${JSON.stringify(flawsOf(wrong))}`);
    assert.match(flaw.message, message);
  }
});

Deno.test("a point that SunSpec does not have is named with the nearest one", () => {
  const path = "sources[0].maps[0].points[0].sunspec";
  const cases: Readonly<Record<string, RegExp>> = {
    "103.Watt": /^SunSpec's model 103 \(.*\) has no point Watt; meant 103\.W\?$/,
    "103.Aph": /meant 103\.AphA\?/,
    "160.DCA": /has no point DCA; meant 160\.module:1\.DCA\?/,
    "160.module.DCA": /meant 160\.module:1\.DCA\?/,
    "160.module:0.DCA": /meant 160\.module:1\.DCA\?/,
    "9999.W": /^SunSpec has no model 9999$/,
  };
  for (const [sunspec, message] of Object.entries(cases)) {
    const flaw = flawsOf(map({ tag: "x", sunspec })).find((it) => it.path === path);
    assert.match(flaw?.message ?? "", message);
  }
});

Deno.test("each tag is brought by one point of one source", () => {
  const units = [{ unit: 1, map: "m" }, { unit: 2, map: "m" }];
  const points = [{ tag: "p", sunspec: "103.W" }];
  const [flaw] = flawsOf(source({ units, maps: [{ key: "m", points }] }));
  assert.equal(flaw.path, "sources[0].units[1]");
  assert.match(flaw.message, /write \{device\} or \{unit\}/);
  const other = flawsOf(source(), source({ key: "other", host: "b" }));
  assert.match(other[0].message, /"I1\.w" is already brought by the source field/);
  assert.equal(other[0].path, "sources[1].units[0]");
  const state = flawsOf(map({ tag: "field.connected", sunspec: "103.W" }));
  assert.match(state[0].message, /already brought by/);
  const named = points.map((point) => ({ ...point, tag: "{unit}.p" }));
  assert.deepEqual(flawsOf(source({ units, maps: [{ key: "m", points: named }] })), []);
});
