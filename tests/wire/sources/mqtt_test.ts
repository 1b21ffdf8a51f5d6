// Packets in any pieces, too long ones, and the samples of payloads of every form.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { messageMaps, mqtt } from "../../../src/model/sources/kinds/mqtt.ts";
import { MessageReader } from "../../../src/wire/sources/mqtt_message.ts";
import {
  acknowledgements,
  bufferOf,
  packetBytes,
  PacketReader,
} from "../../../src/wire/sources/mqtt_packet.ts";
import { payloadOf } from "../../help/broker.ts";

const arrived_us = Date.UTC(2026, 5, 1) * 1000;

type TopicInput = Record<string, string>;

/** What messages of a topic give. */
function reading(...topics: readonly TopicInput[]) {
  const entry = mqtt.form.parse({ key: "k", kind: "mqtt", host: "b", topics });
  assert.deepEqual(mqtt.flawsOf(entry), []);
  const reader = new MessageReader(messageMaps(entry));
  return (topic: string, payload: unknown) => {
    const text = typeof payload === "string" ? payload : JSON.stringify(payload);
    const read = reader.read({ topic, payload: payloadOf(text), arrived_us });
    if (read === undefined) return undefined;
    const rows = read.rows.map((
      { tag, ts_us, value, status_code },
    ) => [
      tag,
      (ts_us - arrived_us) / 1e6,
      value,
      ...(status_code === undefined ? [] : [status_code]),
    ]);
    return { rows, flaws: read.flaws };
  };
}

const only = { topic: "t/{d}", tag: "{d}" };

Deno.test("a plain payload is a number, true or false, or a text", () => {
  const read = reading(only);
  for (
    const [payload, value] of [
      ["5", 5],
      [" -1.5e3\n", -1500],
      ["+.5", 0.5],
      ["True", 1n],
      ["false", 0n],
      ["NaN", "NaN"],
      ["1,5", "1,5"],
      ["run", "run"],
      ["1e999", "1e999"],
      ['"5"', '"5"'],
    ] as const
  ) assert.deepEqual(read("t/a", payload), { rows: [["a", 0, value]], flaws: [] }, payload);
  assert.equal(read("u/a", "5"), undefined);
  assert.match(read("t/a", '{"v":5}')!.flaws[0], /is JSON/);
  assert.match(read("t/a", "")!.flaws[0], /empty/);
});

Deno.test("JSON by paths: values, times in any unit, qualities", () => {
  const read = reading({ ...only, value: "a.b[0]", time: "t", quality: "q" });
  const of = (v: unknown, t?: unknown, q?: unknown) => read("t/x", { a: { b: [v] }, t, q })!;
  assert.deepEqual(of(5).rows, [["x", 0, 5]]);
  assert.deepEqual(of(true).rows, [["x", 0, 1n]]);
  assert.deepEqual(of("on").rows, [["x", 0, "on"]]);
  const at_s = arrived_us / 1e6 + 10;
  for (const time of [at_s, at_s * 1e3, at_s * 1e6, at_s * 1e9, `${at_s}`, `${at_s * 1000}`]) {
    assert.deepEqual(of(5, time).rows, [["x", 10, 5]], `${time}`);
  }
  assert.deepEqual(of(5, at_s + 0.25).rows, [["x", 10.25, 5]]);
  assert.deepEqual(of(5, "2026-06-01T02:00:10+02:00").rows, [["x", 10, 5]]);
  assert.match(of(5, "2026-06-01T02:00:10").flaws[0], /without an offset/);
  assert.match(of(5, "yesterday").flaws[0], /neither ISO 8601/);
  assert.match(of(5, -5).flaws[0], /neither ISO 8601/);
  assert.deepEqual(of(5, null).rows, [["x", 0, 5]]);
  assert.deepEqual(of(5, null, "Uncertain").rows, [["x", 0, 5, 0x4000_0000]]);
  assert.deepEqual(of(5, null, true).rows, [["x", 0, 5, 0]]);
  assert.deepEqual(of(null, null, "bad").rows, [["x", 0, undefined, 0x8000_0000]]);
  assert.match(of(5, null, "so so").flaws[0], /quality/);
  assert.match(of(null).flaws[0], /no value at a\.b\[0\]/);
  assert.match(of({}).flaws[0], /no value/);
});

Deno.test("a unit that is said is not guessed", () => {
  const read = reading({ ...only, value: "v", time: "t", time_unit: "ms" });
  assert.deepEqual(read("t/x", { v: 1, t: 5000 })!.rows[0][1], 5 - arrived_us / 1e6);
});

Deno.test("each numeric or boolean member is a value, the others are none", () => {
  const read = reading({ topic: "t/{d}", tag: "{d}.{key}", value: "v.*", time: "ts" });
  const v = { p: 1.5, on: false, name: "x", list: [1], none: null };
  assert.deepEqual(read("t/a", { v })!.rows, [["a.p", 0, 1.5], ["a.on", 0, 0n]]);
  assert.match(read("t/a", { v: 5 })!.flaws[0], /no members at v/);
  assert.deepEqual(read("t/a", { v: {} }), { rows: [], flaws: [] });
});

Deno.test("rows have their own names, values and times", () => {
  const read = reading({
    ...{ topic: "t", tag: "{name}", rows: "data" },
    ...{ name: "id", value: "v", time: "ts" },
  });
  const s = arrived_us / 1e6;
  const data = [{ id: "a", v: 1, ts: s + 1 }, { id: "b", v: 2, ts: s + 2 }, { v: 3 }];
  const found = read("t", { data })!;
  assert.deepEqual(found.rows, [["a", 1, 1], ["b", 2, 2]]);
  assert.deepEqual(found.flaws, ["has no name at id"]);
  assert.match(read("t", { data: {} })!.flaws[0], /no array/);
  const many = Array.from({ length: 10_001 }, () => ({ id: "a", v: 1 }));
  assert.match(read("t", { data: many })!.flaws[0], /more than 10000 rows/);
  const whole = reading({ topic: "t", tag: "{name}", rows: "$", name: "id", value: "v" });
  assert.deepEqual(whole("t", [{ id: "z", v: 9 }])!.rows, [["z", 0, 9]]);
});

Deno.test("a message is for every topic that has it", () => {
  const read = reading({ ...only, tag: "{d}.p", value: "p" }, {
    ...only,
    tag: "{d}.q",
    value: "q",
  });
  assert.deepEqual(read("t/a", { p: 1, q: 2 })!.rows, [["a.p", 0, 1], ["a.q", 0, 2]]);
});

Deno.test("no payload makes the reader throw, and it gives tags that can be stored", () => {
  const reader = new MessageReader(messageMaps(mqtt.form.parse({
    ...{ key: "k", kind: "mqtt", host: "b" },
    topics: [
      { topic: "{a}/{rest...}", tag: "{a}.{rest}" },
      { topic: "{a}/#", tag: "{a}.{key}", value: "*", time: "ts", quality: "q" },
      { topic: "#", tag: "{name}", rows: "$", name: "n", value: "v" },
    ],
  })));
  const payload = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.json({ maxDepth: 4 }).map(payloadOf),
    fc.constant(payloadOf("[".repeat(100_000))),
  );
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 20 }), payload, (topic, payload) => {
    const read = reader.read({ topic, payload, arrived_us });
    for (const { tag, ts_us, value } of read?.rows ?? []) {
      assert.match(tag, /^[^\p{Cc}]{1,512}$/u);
      assert.ok(Number.isInteger(ts_us));
      assert.ok(typeof value !== "number" || Number.isFinite(value));
    }
  }));
});

Deno.test("packets are read whole, however their bytes are cut", () => {
  const packet = fc.record({
    topic: fc.string({ minLength: 1, maxLength: 30 }).filter((it) => it.isWellFormed()),
    payload: fc.uint8Array({ maxLength: 400 }),
    id: fc.integer({ min: 1, max: 0xffff }),
  });
  const cuts = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 });
  fc.assert(fc.property(fc.array(packet), cuts, fc.constantFrom(4, 5), (sent, cuts, version) => {
    const bytes = Buffer.concat(sent.map(({ topic, payload, id }) =>
      packetBytes({
        ...{ cmd: "publish", topic, payload: bufferOf(payload), messageId: id },
        ...{ qos: 1, dup: false, retain: false },
      }, version as 4 | 5)
    ));
    const reader = new PacketReader(version as 4 | 5);
    const found = [];
    for (let at = 0, i = 0; at < bytes.length; i++) {
      const end = at + cuts[i % cuts.length];
      found.push(...reader.read(new Uint8Array(bytes.subarray(at, end))));
      at = end;
    }
    assert.deepEqual(
      found.map((it) =>
        it.cmd === "publish" && [it.topic, [...it.payload as Buffer], it.messageId]
      ),
      sent.map(({ topic, payload, id }) => [topic, [...payload], id]),
    );
  }));
});

for (const version of [4, 5] as const) {
  Deno.test(`a message that is too long loses its payload alone (version ${version})`, () => {
    const long = new Uint8Array(1024 * 1024 + 70_000).fill(7);
    const packets = [new Uint8Array([1]), long, new Uint8Array([2])].map((payload, i) =>
      packetBytes({
        ...{ cmd: "publish", topic: `t/${i}`, payload: bufferOf(payload), messageId: i + 1 },
        ...{ qos: 1, dup: false, retain: false },
        ...(version === 5 && { properties: { contentType: "x" } }),
      }, version)
    );
    for (const step of [1000, 16_384, 10_000_000]) {
      const bytes = Buffer.concat(packets);
      const reader = new PacketReader(version);
      const found = [];
      for (let at = 0; at < bytes.length; at += step) {
        found.push(...reader.read(new Uint8Array(bytes.subarray(at, at + step))));
      }
      assert.deepEqual(
        found.map((it) =>
          it.cmd === "publish" && [it.topic, it.messageId, it.payload.length, it.too_long ?? 0]
        ),
        [["t/0", 1, 1, 0], ["t/1", 2, 0, long.length + (version === 5 ? 5 : 0)], ["t/2", 3, 1, 0]],
      );
    }
  });
}

Deno.test("bytes that are no packets are an error", () => {
  assert.throws(() => new PacketReader(4).read(payloadOf("HTTP/1.1 400 Bad Request\r\n\r\n")));
  assert.throws(() => new PacketReader(4).read(new Uint8Array([0x30, 255, 255, 255, 255])));
  // A topic that is longer than its message, an id that is missing, and a QoS that is none.
  for (const bytes of [[0x30, 3, 0, 2, 97], [0x32, 3, 0, 1, 97], [0x36, 5, 0, 1, 97, 0, 1]]) {
    assert.throws(() => new PacketReader(4).read(new Uint8Array([...bytes, 0xd0, 0])));
  }
  // A CONNACK of a hundred megabytes.
  assert.throws(() => new PacketReader(5).read(new Uint8Array([0x20, 255, 255, 255, 50, 0, 0])));
});

Deno.test("acknowledgements keep the order of their messages", () => {
  const bytes = acknowledgements([1, 0x1234]);
  assert.deepEqual([...bytes], [0x40, 2, 0, 1, 0x40, 2, 0x12, 0x34]);
  assert.deepEqual([...bytes.subarray(4)], [
    ...packetBytes({ cmd: "puback", messageId: 0x1234 }, 4),
  ]);
});
