// Topics as templates: what they ask for and take, the names they give, what is wrong with them.
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  fillTag,
  parseTopic,
  readTopic,
  tagTemplateFlaws,
  topicNames,
  type TopicTemplate,
} from "../../../src/model/sources/topic.ts";
import { fits } from "../../help/broker.ts";

function parsed(text: string): TopicTemplate {
  const found = parseTopic(text);
  assert.ok(typeof found !== "string", `${text} ${found}`);
  return found;
}

const read = (template: string, topic: string) => {
  const words = readTopic(parsed(template), topic);
  return words && Object.fromEntries(words);
};

Deno.test("a template names whole levels, and all that is left", () => {
  assert.equal(parsed("plant/{device}/{point}").filter, "plant/+/+");
  assert.equal(parsed("plant/{rest...}").filter, "plant/#");
  assert.deepEqual(read("plant/{device}/{point}", "plant/I1/p"), { device: "I1", point: "p" });
  assert.deepEqual(read("plant/+/{point}", "plant/I1/p"), { point: "p" });
  assert.deepEqual(read("plant/{a}/{rest...}", "plant/I1/p/ac"), { a: "I1", rest: "p/ac" });
  assert.deepEqual(read("plant/#", "plant"), {});
  assert.equal(read("plant/{rest...}", "plant"), undefined);
  assert.equal(read("plant/{device}", "plant/I1/p"), undefined);
  assert.equal(read("plant/{device}", "other/I1"), undefined);
  assert.deepEqual(read("{a}/{b}", "/x"), { a: "", b: "x" });
});

Deno.test("what is no template says what to write", () => {
  for (
    const [text, words] of [
      ["plant/inv{device}/p", /whole level/],
      ["plant/{device/p", /whole level/],
      ["plant/{1x}", /whole level/],
      ["plant/#/p", /# before its end/],
      ["plant/{rest...}/p", /before its end/],
      ["plant/a+", /stand for whole levels/],
      ["{a}/{a}", /\{a\} twice/],
      ["$share/g/plant/#", /shared subscription/],
      [Array(40).fill("a").join("/"), /more than 32 levels/],
    ] as const
  ) assert.match(String(parseTopic(text)), words, text);
});

const word = fc.stringMatching(/^[a-z0-9 ._-]{1,6}$/);
const level = fc.oneof(
  word,
  fc.constant("+"),
  fc.integer({ min: 0, max: 9 }).map((n) => `{n${n}}`),
);
const template = fc.tuple(
  fc.array(level, { minLength: 1, maxLength: 5 }),
  fc.constantFrom("", "/#", "/{rest...}"),
).map(([levels, end]) => levels.join("/") + end)
  .filter((text) => typeof parseTopic(text) !== "string");

Deno.test("a template takes what its filter asks for, and what it names is there", () => {
  fc.assert(fc.property(template, fc.array(word, { minLength: 1, maxLength: 7 }), (text, words) => {
    const found = parsed(text);
    const topic = words.join("/");
    const taken = readTopic(found, topic);
    // A broker sends what is above a # too; a name has to stand for something.
    const above = text.endsWith("/{rest...}") && words.length === found.levels.length - 1;
    assert.equal(taken !== undefined, fits(found.filter, topic) && !above);
    if (taken) assert.deepEqual([...taken.keys()], topicNames(found));
  }));
});

Deno.test("a template that is filled in is found again", () => {
  fc.assert(fc.property(template, word, (text, value) => {
    const found = parsed(text);
    const topic = text.replaceAll(/\{[^}]*\}|\+|#/g, value);
    const words = readTopic(found, topic)!;
    for (const name of topicNames(found)) assert.equal(words.get(name), value);
  }));
});

Deno.test("a tag is filled in once, whatever the words hold", () => {
  const words = new Map([["a", "{b}"], ["b", "$1"]]);
  assert.equal(fillTag("{a}.{b}.{c}", words), "{b}.$1.{c}");
});

Deno.test("the template of a tag must tell apart what differs", () => {
  const flaws = (tag: string) =>
    tagTemplateFlaws(tag, { path: "tag", known: ["device", "point"], needed: ["device"] })
      .map(({ message }) => message);
  assert.deepEqual(flaws("{device}.{point}"), []);
  assert.match(flaws("{point}")[0], /leaves out \{device\}.*\+ in the topic/);
  assert.match(flaws("{device}.{pont}")[0], /has \{pont\}, but there is \{device\}, \{point\}/);
});
