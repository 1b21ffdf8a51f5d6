// The form of alarm rules: what goes without saying, and every wrong one with its place.
import { deepEqual, equal, match } from "node:assert/strict";
import { checkSiteFile } from "../../../src/model/site/check.ts";
import {
  parseRule,
  ruleDifference,
  ruleOf,
  ruleText,
  shortRule,
} from "../../../src/model/rules/entry.ts";
import { rule_form, type RuleInput } from "../../../src/model/rules/form.ts";
import { flaws, head } from "../../help/site_flaw.ts";

const parts = {
  device_models: [
    { key: "M", points: { "Error-17": { label: "Insulation fault" } } },
    { key: "N", events: "sunspec" },
  ],
  devices: [
    { key: "I1", type: "inverter", device_model: "M", event_tag: "I1.word" },
    { key: "I2", type: "inverter", device_model: "N" },
    { key: "MET", type: "met" },
  ],
  tags: [
    { name: "I1.alarm", encoding: "integer" },
    { name: "note", encoding: "string" },
    { name: "level", encoding: "float" },
  ],
  sensors: [
    { tag: "I1.kw", device: "I1", measure: "active_power", scale: 1000 },
    { tag: "I1.kw", device: "I1", measure: "energy", scale: 1000 },
    { tag: "I2.kw", device: "I2", measure: "active_power", scale: 1000 },
    { tag: "wind", device: "MET", measure: "windspeed" },
  ],
};

const high = { key: "r", name: "R", kind: "threshold", operator: ">", threshold: 1, tag: "wind" };
const band = { key: "r", name: "R", kind: "outside", low: 1, high: 9, tag: "wind" };
const silent = { key: "r", name: "R", kind: "stale", max_age_s: 60, tag: "wind" };
const bits = { key: "r", name: "R", kind: "bitmask", mask: [0, 5], event_word: true, device: "I1" };
const codes = { key: "r", name: "R", kind: "enum", codes: [7], tag: "I1.alarm" };
const rate = { key: "r", name: "R", kind: "rate_of_change", limit_per_min: 5, tag: "wind" };
const weak = {
  ...{ key: "r", name: "R", kind: "deviation", from: "model", limit_pct: 20 },
  ...{ measure: "active_power", component: "inverter" },
};

/** What is wrong with the one rule of a site. */
const wrong = (rule: object) => flaws({ ...parts, rules: [rule] });

Deno.test("rules of every kind are right, alone and together", () => {
  const each = [high, band, silent, bits, codes, rate, weak];
  for (const rule of each) deepEqual(wrong(rule), []);
  const rules = each.map((rule, i) => ({ ...rule, key: `r${i}` }));
  deepEqual(flaws({ ...parts, rules }), []);
  equal(checkSiteFile({ ...head, ...parts, rules }).rules.length, 7);
});

Deno.test("what goes without saying is filled in, and left out again", () => {
  const [entry] = checkSiteFile({ ...head, ...parts, rules: [high] }).rules;
  deepEqual(entry, {
    ...high,
    ...{ deadband: 0, severity: "medium", is_nerc: false, resolution_policy: "auto" },
    ...{ on_delay_s: 0, off_delay_s: 0, judged_at: "here", enabled: true },
  });
  deepEqual(shortRule(entry), high);
  const rule = ruleOf(entry, { rule_no: 1, version: 2, project_no: 3, site_no: 4 });
  deepEqual([rule.version, rule.alarm_class, rule.description], [2, null, null]);
  deepEqual(rule.condition, { kind: "threshold", operator: ">", threshold: 1, deadband: 0 });
});

Deno.test("a field that is newer than a kept definition is as usual", () => {
  const entry = rule_form.parse(weak);
  const { span_minutes: _, ...older } = entry as Extract<typeof entry, { kind: "deviation" }>;
  deepEqual(parseRule(JSON.stringify(older)), entry);
});

Deno.test("a mask is the same as a number, as bits and as a text; 64 bits stay exact", () => {
  const masks = [33, [0, 5], [5, 0, 5], "33", "0x21"];
  for (const mask of masks) equal(maskOf(mask), 33n);
  equal(maskOf([63, 0]), 2n ** 63n + 1n);
  equal(maskOf("0xFFFFFFFFFFFFFFFF"), 2n ** 64n - 1n);
  equal(maskOf("9007199254740993"), 9007199254740993n);
});

function maskOf(mask: unknown): bigint {
  const entry = rule_form.parse({ ...bits, mask } as RuleInput);
  const { condition } = ruleOf(parseRule(ruleText(entry)), {
    ...{ rule_no: 1, version: 1, project_no: 1, site_no: 1 },
  });
  return condition.kind === "bitmask" ? condition.mask : -1n;
}

Deno.test("the text of a definition is the same whatever order it was written in", () => {
  const labels = { "-1": "a", 10: "b", 9: "c" };
  const one = rule_form.parse({ ...codes, codes: [10, 9, -1, 9], labels });
  const two = rule_form.parse({
    ...{ labels: { 9: "c", 10: "b", "-1": "a" }, severity: "medium" },
    ...{ ...codes, codes: [-1, 9, 10] },
  });
  equal(ruleText(one), ruleText(two));
  deepEqual(ruleDifference(one, two), []);
  const three = rule_form.parse({ ...codes, codes: [1], description: "D" });
  deepEqual(ruleDifference(one, three).toSorted(), ["codes", "description", "labels"]);
});

/** Rules with one flaw each: what is changed, where it is told, and how. */
const numbers: readonly (readonly [object, string, RegExp])[] = [
  [{ ...high, threshold: "rated * 0.9" }, "threshold", /give a number: .* expression can't stand/],
  [{ ...high, threshold: Infinity }, "threshold", /number/],
  [{ ...high, threshold: undefined }, "threshold", /is missing/],
  [{ ...high, deadband: -1 }, "deadband", /at least 0/],
  [{ ...high, on_delay_s: "5 min" }, "on_delay_s", /give a number/],
  [{ ...high, off_delay_s: -1 }, "off_delay_s", /at least 0/],
  [{ ...high, off_delay_s: -1e-7 }, "off_delay_s", /at least 0/],
  [{ ...high, on_delay_s: 1e9 }, "on_delay_s", /at most 604800/],
  [{ ...high, on_delay_s: 604_800.000_000_1 }, "on_delay_s", /at most 604800/],
  [{ ...high, operator: "=>" }, "operator", /give one of >, >=, <, <=/],
  [{ ...band, low: 9 }, "low", /must be less than high/],
  [{ ...band, low: 10 }, "low", /must be less than high/],
  [{ ...band, low: undefined }, "low", /is missing/],
  [{ ...band, high: "rated" }, "high", /give a number/],
  [{ ...band, deadband: 4 }, "deadband", /less than half of the band/],
  [{ ...band, deadband: -1 }, "deadband", /at least 0/],
  [{ ...silent, max_age_s: 0 }, "max_age_s", /more than 0/],
  [{ ...silent, max_age_s: 1e-7 }, "max_age_s", /more than 0/],
  [{ ...silent, max_age_s: 1e9 }, "max_age_s", /at most/],
  [{ ...rate, limit_per_min: "10/min" }, "limit_per_min", /give a number/],
  [{ ...rate, over_s: 0 }, "over_s", /more than 0/],
  [{ ...weak, limit_pct: 0 }, "limit_pct", /more than 0/],
  [{ ...weak, from: "modle" }, "from", /meant model\?/],
  [{ ...weak, span_minutes: 0 }, "span_minutes", /at least 1/],
  [{ ...weak, span_minutes: 1.5 }, "span_minutes", /whole number/],
  [{ ...weak, span_minutes: 1441 }, "span_minutes", /at most/],
  [{ ...codes, codes: [1.5] }, "codes[0]", /whole number/],
  [{ ...codes, codes: ["RUN"] }, "codes[0]", /give a number/],
  [{ ...codes, codes: [] }, "codes", /at least 1 item/],
];

const words: readonly (readonly [object, string, RegExp])[] = [
  [{ ...high, kind: "treshold" }, "kind", /give one of threshold, .*; meant threshold\?/],
  [{ ...high, kind: undefined }, "kind", /is missing/],
  [{ ...high, key: "a b" }, "key", /letters, digits/],
  [{ ...high, name: "" }, "name", /at least 1 character/],
  [{ ...high, max_age_s: 60 }, "max_age_s", /is of another kind/],
  [{ ...band, threshold: 60 }, "threshold", /is of another kind/],
  [{ ...high, treshold: 60 }, "treshold", /no such key; meant threshold\?/],
  [{ ...high, resolution_policy: "automatic" }, "resolution_policy", /give one of auto, manual/],
  [{ ...high, is_nerc: "yes" }, "is_nerc", /true or false/],
];

const masks: readonly (readonly [object, string, RegExp])[] = [
  [{ ...bits, mask: "1 << 3" }, "mask", /expression can't stand here/],
  [{ ...bits, mask: "0x1FFFFFFFFFFFFFFFF" }, "mask", /bits 0 to 63/],
  [{ ...bits, mask: "18446744073709551616" }, "mask", /bits 0 to 63/],
  [{ ...bits, mask: 0 }, "mask", /at least 1/],
  [{ ...bits, mask: -1 }, "mask", /at least 1/],
  [{ ...bits, mask: [3, 64] }, "mask[1]", /at most 63/],
  [{ ...bits, mask: undefined }, "mask", /is missing/],
  [{ ...bits, labels: { 3: "x" } }, "labels.3", /a bit beyond the mask/],
  [{ ...bits, labels: { 64: "x" } }, "labels.64", /a bit from 0 to 63/],
  [{ ...codes, labels: { 8: "x" } }, "labels.8", /none of the codes/],
  [{ ...codes, labels: { RUN: "x" } }, "labels.RUN", /a key is a whole number/],
  [{ ...codes, points: true }, "points", /can't be beside codes/],
  [{ ...codes, codes: undefined }, "codes", /is missing: give codes, or points = true/],
  [{ ...codes, codes: undefined, points: true, labels: { 1: "x" } }, "labels.1", /beside points/],
];

const on_inverters = { tag: undefined, measure: "active_power", component: "inverter" };

const places: readonly (readonly [object, string, RegExp])[] = [
  [{ ...high, tag: "wnid" }, "tag", /there is no tag "wnid"; meant wind\?/],
  [{ ...high, tag: undefined }, "tag", /is missing: say where it watches/],
  [{ ...high, measure: "windspeed" }, "measure", /can't be beside tag/],
  [{ ...high, device: "MET" }, "device", /only for a measure, event_word or a tag with \{device\}/],
  [{ ...high, tag: "{device}.kw" }, "device_model", /is missing: say whose/],
  [{ ...high, tag: "{device}.kv", component: "inverter" }, "tag", /no tag "I1.kv"; meant I1.kw\?/],
  [{ ...high, ...on_inverters, component: undefined }, "device_model", /is missing/],
  [{ ...high, ...on_inverters, device: "I1" }, "device", /can't be beside component/],
  [{ ...high, ...on_inverters, component: "met" }, "measure", /no sensor or event word/],
  [{ ...high, ...on_inverters, component: "invertr" }, "component", /meant inverter\?/],
  [{ ...high, ...on_inverters, measure: "activ_power" }, "measure", /meant active_power\?/],
  [{ ...high, ...on_inverters, measure: "energy" }, "measure", /no sensor or event word/],
  [{ ...bits, device: "I9" }, "device", /there is no "I9"; meant I1\?/],
  [{ ...bits, device: undefined, device_model: "X" }, "device_model", /there is no "X"/],
  [{ ...bits, device: "I2" }, "event_word", /no sensor or event word/],
  [{ ...bits, event_word: undefined, tag: "level", device: undefined }, "tag", /encoding integer/],
  [{ ...codes, tag: "note" }, "tag", /"note" holds string values/],
  [{ ...high, tag: "note" }, "tag", /"note" holds texts/],
  [{ ...band, tag: "note" }, "tag", /"note" holds texts/],
  [{ ...weak, measure: undefined, component: undefined, tag: "level" }, "tag", /read by no sensor/],
  [
    { ...weak, measure: undefined, component: undefined, event_word: true, device: "I1" },
    "event_word",
    /holds bits/,
  ],
];

for (const [what, list] of Object.entries({ numbers, words, masks, places })) {
  Deno.test(`a wrong rule is refused at its path: ${what}`, () => {
    for (const [rule, path, message] of list) {
      const found = wrong(rule);
      equal(found.length, 1, `${path}\n${found.join("\n")}`);
      const [at, ...rest] = found[0].split(": ");
      equal(at, `rules[0].${path}`);
      match(rest.join(": "), message);
    }
  });
}

Deno.test("a key stands once, and every flaw of every rule is told", () => {
  match(flaws({ ...parts, rules: [high, high] })[0], /^rules\[1\]\.key: "r" is already rules\[0\]/);
  const two = [{ ...high, tag: "x" }, { ...codes, key: "s", points: true }];
  deepEqual(flaws({ ...parts, rules: two }).map((it) => it.split(":")[0]), [
    "rules[0].tag",
    "rules[1].points",
  ]);
});

Deno.test("alarm points have a label and the source's identifier", () => {
  const point = (points: object) => flaws({ device_models: [{ key: "M", points }] });
  deepEqual(point({ "Error-1": { label: "A", severity: "high", is_nerc: true } }), []);
  match(point({ "Error-0": { label: "A" } })[0], /points\.Error-0: a key is Error-<number>/);
  match(point({ "17": { label: "A" } })[0], /points\.17: a key is Error-<number>/);
  match(point({ "Error-1": {} })[0], /points\.Error-1\.label: is missing/);
  match(
    point({ "Error-1": { label: "A", sevrity: "x" } })[0],
    /points\.Error-1\.sevrity: .*no such/,
  );
});
