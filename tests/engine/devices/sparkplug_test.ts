// Sources of the kind sparkplug: births, aliases, order, deaths, rebirths, and what a host says.
import assert from "node:assert/strict";
import { FakeBroker } from "../../help/broker.ts";
import { readingService, type SourceInput } from "../../help/sources.ts";
import { commandOf, FakeNode } from "../../help/sparkplug.ts";

type SparkplugInput = Extract<SourceInput, { kind: "sparkplug" }>;

async function open(more: Partial<SparkplugInput> = {}) {
  const broker = new FakeBroker();
  const source: SparkplugInput = {
    ...{ key: "edge", kind: "sparkplug", host: "b" },
    ...{ tag: "{node}.{device}.{metric}", node_tag: "{node}.{metric}" },
    ...more,
  };
  const service = await readingService((place) => broker.connect(place), [source]);
  const node = new FakeNode(broker, "n", () => Math.floor(service.clock.now_us / 1000));
  await service.passUntil(() => broker.clients.size === 1, "a host");
  await service.pass(100, 3);
  const state = async () => (await service.sources())[0].state;
  const shows = async (tag: string, value: unknown) => {
    await service.passUntil(() => service.latest(tag)?.value === value, `${tag} = ${value}`);
  };
  return { broker, node, ...service, state, shows };
}

Deno.test("births and data by alias become samples; controls do not", async () => {
  const { node, latest, shows, services, close } = await open();
  node.born();
  await shows("n.inv.P", 100.5);
  await shows("n.inv.T", -1);
  await shows("n.uptime", 5);
  node.send("DDATA", [{ alias: 2, double: 99 }], { device: "inv" });
  node.send("NDATA", [{ alias: 1, long: 6n }]);
  await shows("n.inv.P", 99);
  await shows("n.uptime", 6);
  assert.equal(latest("n.bdSeq"), undefined);
  assert.equal(latest("n.Node Control/Rebirth"), undefined);
  assert.equal(services.catalog.findTag(1, "signal", "n.inv.P")?.encoding, "float");
  assert.equal(services.catalog.findTag(1, "signal", "n.inv.T")?.encoding, "integer");
  assert.equal(node.asked, 0);
  await close();
});

Deno.test("the host says that it is there, and by its will that it is not", async () => {
  const { broker, passUntil, close } = await open({ host_id: "scada" });
  const states = () => broker.published.filter(({ topic }) => topic === "spBv1.0/STATE/scada");
  await passUntil(() => states().length > 0, "a state");
  const [{ text, retain }] = states();
  assert.equal(retain, true);
  const { online, timestamp } = JSON.parse(text);
  assert.equal(online, true);
  const { will } = broker.connects[0];
  assert.deepEqual(JSON.parse(`${will!.payload}`), { online: false, timestamp });
  assert.equal(will!.topic, "spBv1.0/STATE/scada");
  assert.equal(broker.connects[0].clean, true);
  // The will of a connection before comes late.
  broker.publish("spBv1.0/STATE/scada", '{"online":false,"timestamp":1}');
  await passUntil(() => states().at(-1)!.text === text && states().length > 1, "the state again");
  await close();
  assert.equal(JSON.parse(states().at(-1)!.text).online, false);
});

Deno.test("a host that comes late asks for births, and for nothing else, seldom", async () => {
  const { broker, node, pass, passUntil, shows, latest, close } = await open();
  node.seq = 17;
  node.send("DDATA", [{ alias: 2, double: 1 }], { device: "inv" });
  await passUntil(() => node.asked === 1, "a request");
  const { payload } = broker.published.find(({ topic }) => topic.includes("NCMD"))!;
  assert.deepEqual(commandOf(payload), { name: "Node Control/Rebirth", flag: true });
  assert.equal(latest("n.inv.P"), undefined);
  for (let second = 0; second < 120; second++) {
    node.send("DDATA", [{ alias: 2, double: 1 }], { device: "inv" });
    await pass(1000);
  }
  assert.ok(node.asked >= 3 && node.asked <= 5, `${node.asked} times`);
  node.born();
  await shows("n.inv.P", 100.5);
  const commands = broker.published.filter(({ topic }) => /[ND]CMD/.test(topic));
  assert.ok(commands.every(({ payload }) => commandOf(payload).name === "Node Control/Rebirth"));
  await close();
});

Deno.test("after a gap aliases are not trusted until the node is born again", async () => {
  const { node, passUntil, shows, latest, pass, state, close } = await open();
  node.born();
  await shows("n.inv.P", 100.5);
  node.seq++;
  node.send("DDATA", [{ alias: 2, double: 50 }], { device: "inv" });
  node.send("DDATA", [{ name: "P", type: 10, double: 60 }], { device: "inv" });
  await shows("n.inv.P", 60);
  assert.equal(node.asked, 1);
  node.send("DDATA", [{ alias: 2, double: 70 }], { device: "inv" });
  await pass(1000, 3);
  assert.equal(latest("n.inv.P")?.value, 60);
  node.born();
  node.send("DDATA", [{ alias: 2, double: 80 }], { device: "inv" });
  await shows("n.inv.P", 80);
  const { rejected } = await state();
  const reasons = rejected.map(({ reason }: { reason: string }) => reason);
  assert.ok(reasons.some((it: string) => /follows a gap/.test(it)), reasons.join());
  await passUntil(() => latest("edge.connected")?.value === 1, "all well");
  await close();
});

Deno.test("numbers of messages go round from 255 to 0", async () => {
  const { node, shows, close } = await open();
  node.born();
  for (let i = 0; i < 600; i++) {
    node.send("DDATA", [{ alias: 2, double: i, ts_ms: Date.UTC(2026, 5, 1) + i }], {
      device: "inv",
    });
  }
  node.send("DDATA", [{ alias: 2, double: 7 }], { device: "inv" });
  await shows("n.inv.P", 7);
  assert.equal(node.asked, 0);
  await close();
});

Deno.test("a node's death is one bad sample a tag; that of an old session is none", async () => {
  const { node, shows, latest, passUntil, pass, state, close } = await open();
  node.session = 4;
  node.born();
  await shows("n.inv.P", 100.5);
  node.dead(3);
  await pass(1000, 3);
  assert.equal(latest("n.inv.P")?.value, 100.5);
  node.dead();
  await passUntil(() => latest("n.inv.P")?.quality === 2, "a bad sample");
  assert.equal(latest("n.uptime")?.quality, 2);
  assert.equal(latest("n.inv.P")?.value, null);
  const at_us = latest("n.inv.P")!.ts_us;
  node.dead();
  await pass(1000, 30);
  assert.equal(latest("n.inv.P")!.ts_us, at_us);
  const { devices } = await state();
  assert.deepEqual(
    devices.map(({ name, connected }: Record<string, unknown>) => [name, connected]),
    [["b:1883", true], ["g/n", false]],
  );
  node.session = 5;
  node.born();
  await shows("n.inv.P", 100.5);
  await close();
});

Deno.test("a birth that its own death has overtaken does not bring a node to life", async () => {
  const { node, shows, latest, passUntil, pass, close } = await open();
  node.born();
  await shows("n.inv.P", 100.5);
  node.dead();
  node.born();
  await passUntil(() => latest("n.inv.P")?.quality === 2, "a bad sample");
  await pass(1000, 3);
  assert.equal(latest("n.inv.P")?.quality, 2);
  assert.ok(node.asked >= 1, "it was asked");
  node.born();
  await shows("n.inv.P", 100.5);
  await close();
});

Deno.test("a device's death leaves its node alone, and its data need a birth again", async () => {
  const { node, shows, latest, passUntil, pass, close } = await open();
  node.born();
  await shows("n.inv.P", 100.5);
  node.send("DDEATH", [], { device: "inv" });
  await passUntil(() => latest("n.inv.P")?.quality === 2, "a bad sample");
  assert.equal(latest("n.uptime")?.quality, 0);
  node.send("DDATA", [{ alias: 2, double: 1 }], { device: "inv" });
  await passUntil(() => node.asked === 1, "a request");
  assert.equal(latest("n.inv.P")?.quality, 2);
  await pass(100, 3);
  await close();
});

Deno.test("a host that was away holds all for stale, and asks for births", async () => {
  const { broker, node, shows, latest, passUntil, close } = await open();
  node.born();
  await shows("n.inv.P", 100.5);
  broker.crash();
  await passUntil(() => latest("n.inv.P")?.quality === 2, "a bad sample");
  await passUntil(() => node.asked === 1, "a request");
  node.born();
  await shows("n.inv.P", 100.5);
  await close();
});

Deno.test("historical values keep their times, nulls have none, qualities are told", async () => {
  const { node, shows, latest, passUntil, close, clock } = await open();
  node.born();
  await shows("n.inv.P", 100.5);
  const before = latest("n.inv.P")!.ts_us;
  node.send("DDATA", [
    { alias: 2, double: 3, ts_ms: clock.now_us / 1000 - 3_600_000, is_historical: true },
    { alias: 3, is_null: true },
  ], { device: "inv" });
  await passUntil(() => latest("n.inv.T")?.quality === 2, "a sample without a value");
  assert.equal(latest("n.inv.T")?.value, null);
  assert.equal(latest("n.inv.P")?.ts_us, before);
  node.send("DDATA", [{ alias: 2, double: 4, quality: 0 }], { device: "inv" });
  await passUntil(() => latest("n.inv.P")!.ts_us > before, "a newer sample");
  assert.equal(latest("n.inv.P")?.quality, 2);
  await close();
});

Deno.test("every type is kept as it is, or refused in words", async () => {
  const { node, shows, state, close } = await open();
  node.seq = 0;
  node.send("NBIRTH", [
    { name: "bdSeq", type: 4, long: 0n },
    { name: "i16", type: 2, int: 0xfffe },
    { name: "i32", type: 3, int: 0xfffffffe },
    { name: "i64", type: 4, long: 2n ** 64n - 5n },
    { name: "u32", type: 7, int: 0xfffffffe },
    { name: "u64", type: 8, long: 2n ** 63n },
    { name: "at", type: 13, long: 1_780_000_000_000n },
    { name: "f", type: 9, float: 0.5 },
    { name: "nan", type: 10, double: NaN },
    { name: "on", type: 11, flag: true },
    { name: "s", type: 12, text: "run" },
    { name: "raw", type: 17, bytes: new Uint8Array(3) },
    { name: "set", type: 16, data_set: new Uint8Array(0) },
    {
      name: "_types_/m",
      type: 19,
      template: { metrics: [{ name: "P", type: 10, double: 0 }], is_definition: true },
    },
    { name: "m1", type: 19, template: { metrics: [{ name: "P", type: 10, double: 8 }] } },
  ]);
  await shows("n.i16", -2);
  for (const [tag, value] of [["i32", -2], ["i64", -5], ["u32", 0xfffffffe], ["f", 0.5]]) {
    await shows(`n.${tag}`, value);
  }
  await shows("n.at", 1_780_000_000_000);
  await shows("n.on", 1);
  await shows("n.s", "run");
  await shows("n.m1/P", 8);
  await shows("n.nan", null);
  const { rejected } = await state();
  assert.deepEqual(rejected.map(({ reason }: { reason: string }) => reason), [
    "the message has u64, which is 9223372036854775808, more than an Int64 holds",
    "the message has raw, which is an array or a run of bytes, which is no value of a tag",
    "the message has set, which is a data set, which is no value of a tag",
  ]);
  await close();
});

Deno.test("bytes that are no payload are counted, and the rest goes on", async () => {
  const { broker, node, shows, state, close } = await open();
  broker.publish("spBv1.0/g/NBIRTH/n", new Uint8Array([0x12, 0xff, 0x01, 0x02]), { qos: 0 });
  broker.publish("spBv1.0/g/NDATA/n/x/y", "odd", { qos: 0 });
  node.born();
  await shows("n.inv.P", 100.5);
  const { rejected } = await state();
  assert.equal(rejected.length, 1);
  assert.match(rejected[0].reason, /no payload of Sparkplug B/);
  assert.equal(rejected[0].topic, "spBv1.0/g/NBIRTH/n");
  await close();
});

Deno.test("where rebirths are not wanted no command is sent", async () => {
  const { broker, node, pass, close } = await open({ rebirth: false });
  node.send("NDATA", [{ alias: 1, long: 1n }]);
  await pass(1000, 30);
  assert.equal(broker.published.filter(({ topic }) => topic.includes("CMD")).length, 0);
  await close();
});
