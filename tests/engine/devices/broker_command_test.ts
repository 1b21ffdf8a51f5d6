// Values for setpoints over a broker: MQTT and Sparkplug, confirmed by what is told.
import assert from "node:assert/strict";
import { mqtt } from "../../../src/model/sources/kinds/mqtt.ts";
import { sparkplug } from "../../../src/model/sources/kinds/sparkplug.ts";
import { decodeSparkplug, settingMetric } from "../../../src/wire/sources/sparkplug.ts";
import { FakeBroker } from "../../help/broker.ts";
import { readingService, type SourceInput } from "../../help/sources.ts";
import { FakeNode } from "../../help/sparkplug.ts";

const setpoint = { unit: "%", min: 0, max: 100, every_s: 1, confirm_ms: 2_000 };

/** A service that reads a source over a broker in memory, and sends to its setpoints. */
async function opened(source: SourceInput) {
  const broker = new FakeBroker();
  const connect = (place: Parameters<FakeBroker["connect"]>[0]) => broker.connect(place);
  const service = await readingService(connect, [source], { setpoints: "on" });
  const asked = () => [...broker.sessions.values()].some(({ filters }) => filters.size > 0);
  await service.passUntil(() => broker.clients.size === 1 && asked(), "a client");
  await service.pass(100, 3);
  let keys = 0;
  return {
    ...{ ...service, broker },
    /** Sends a value; gives how it ended. */
    async send(tag: string, value: number) {
      await service.pass(1000);
      const asking = service.fetch("/platform/v1/setpoints?project_id=p", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ tag, value, unit: "%", key: `k${++keys}` }),
      });
      let is_done = false;
      asking.finally(() => is_done = true);
      await service.passUntil(() => is_done, "an answer");
      const answer = await asking;
      const { outcome, before, after, reason } = await answer.json();
      assert.equal(answer.status, 200);
      return [outcome, before, after, reason];
    },
    /** What was published to a topic. */
    told: (topic: string) => broker.published.filter((it) => it.topic === topic),
  };
}

const limit = { tag: "I1.limit", topic: "plant/I1/limit/set", device: "I1", setpoint };
const source = {
  ...{ key: "broker", kind: "mqtt", host: "b" },
  topics: [{ topic: "plant/{device}/{point}", tag: "{device}.{point}" }],
  setpoints: [limit, {
    ...{ tag: "I1.run", topic: "cmd/I1", payload: '{"run":{boolean},"v":{value}}', retain: true },
    setpoint: { ...setpoint, max: 1, step: 1 },
  }],
} as const;

/** Does, for a message to a topic, what a device would. */
function onTold(broker: FakeBroker, topic: string, act: (text: string) => void): void {
  const take = broker.take.bind(broker);
  broker.take = (message) => {
    take(message);
    if (message.topic === topic) act(new TextDecoder().decode(message.payload));
  };
}

Deno.test("a value goes to its topic once, and the topic of the state confirms it", async () => {
  const { broker, send, told, latest, passUntil, close } = await opened(
    source as unknown as SourceInput,
  );
  onTold(broker, limit.topic, (text) => broker.publish("plant/I1/limit", text));
  broker.publish("plant/I1/limit", "100");
  await passUntil(() => latest("I1.limit")?.value === 100, "the value before");
  assert.deepEqual(await send("I1.limit", 60.5), ["confirmed", 100, 60.5, null]);
  assert.deepEqual(told(limit.topic).map(({ text, retain }) => [text, retain]), [["60.5", false]]);
  await passUntil(() => latest("I1.limit")?.value === 60.5, "the value after");
  onTold(broker, "cmd/I1", () => broker.publish("plant/I1/run", "true"));
  assert.deepEqual(await send("I1.run", 1), ["confirmed", null, 1, null]);
  assert.deepEqual(told("cmd/I1").map(({ text, retain }) => [text, retain]), [
    ['{"run":true,"v":1}', true],
  ]);
  await close();
});

Deno.test("without a word of the device it is sent, not confirmed", async () => {
  const { broker, send, told, latest, passUntil, close } = await opened(
    source as unknown as SourceInput,
  );
  broker.publish("plant/I1/limit", "60");
  await passUntil(() => latest("I1.limit")?.value === 60, "the value before");
  // What it told before is no answer, be it the same value.
  const quiet = await send("I1.limit", 60);
  assert.deepEqual(quiet.slice(0, 3), ["unconfirmed", 60, null]);
  assert.match(quiet[3], /^it was taken; .*no message has told I1\.limit since$/);
  broker.confirms = () => 0x10;
  assert.match((await send("I1.limit", 70))[3], /no client of the broker has asked for plant/);
  broker.confirms = () => 0x87;
  const denied = await send("I1.limit", 75);
  assert.deepEqual(denied.slice(0, 3), ["refused", 60, 60]);
  assert.match(denied[3], /^the broker refuses .*no right to it.*\(topic plant\/I1\/limit/);
  broker.confirms = () => 0;
  onTold(broker, limit.topic, () => broker.publish("plant/I1/limit", "80"));
  assert.deepEqual(await send("I1.limit", 90), [
    ...["refused", 60, 80, "the device took it, and has 80 % after that"],
  ]);
  assert.deepEqual(told(limit.topic).map(({ text }) => text), ["60", "70", "75", "90"]);
  await close();
});

Deno.test("what a broker had kept confirms nothing, and it keeps no command for long", async () => {
  for (const version of ["5", "3.1.1"]) {
    const timed = { topic: "timed/{device}", tag: "{device}.t", value: "v", time: "ts" };
    const { broker, send, told, clock, close } = await opened({
      ...{ ...source, version, retained: "all", topics: [...source.topics, timed] },
      setpoints: [...source.setpoints, { ...limit, tag: "I1.t", topic: "cmd/I1/t" }],
    } as unknown as SourceInput);
    const kept = { topic: "plant/I1/limit", payload: new TextEncoder().encode("60"), retain: true };
    broker.retained.set(kept.topic, kept);
    onTold(broker, limit.topic, () => broker.greet([...broker.clients.values()][0], kept.topic));
    assert.deepEqual((await send("I1.limit", 60)).slice(0, 3), ["unconfirmed", null, null]);
    let ago_ms = 61_000;
    onTold(broker, "cmd/I1/t", (text) => {
      const ts = new Date(clock.now_us / 1000 - ago_ms).toISOString();
      broker.publish("timed/I1", `{"v":${text},"ts":"${ts}"}`);
    });
    assert.deepEqual((await send("I1.t", 60)).slice(0, 3), ["unconfirmed", null, null]);
    ago_ms = 30_000;
    assert.deepEqual(await send("I1.t", 60), ["confirmed", 60, 60, null]);
    onTold(broker, "cmd/I1", () => broker.publish("plant/I1/run", "1"));
    assert.equal((await send("I1.run", 1))[0], "confirmed");
    const kept_s = [limit.topic, "cmd/I1"].map((topic) => told(topic)[0].expires_s);
    assert.deepEqual(kept_s, [version === "5" ? 2 : undefined, undefined]);
    await close();
  }
});

Deno.test("a broker that goes leaves no more than is known", async () => {
  const { broker, send, told, passUntil, pass, close } = await opened(
    source as unknown as SourceInput,
  );
  broker.confirms = () => undefined;
  onTold(broker, limit.topic, () => {
    broker.is_up = false;
    broker.crash();
  });
  const lost = await send("I1.limit", 60);
  assert.deepEqual(lost.slice(0, 3), ["unknown", null, null]);
  assert.deepEqual(await send("I1.limit", 60), [
    ...["not_sent", null, null, "the device is not connected"],
  ]);
  broker.is_up = true;
  await passUntil(() => broker.clients.size === 1, "the client again");
  await pass(1000, 20);
  assert.equal(told(limit.topic).length, 1);
  await close();
});

Deno.test("a setpoint whose answer can't be heard is refused where it is declared", () => {
  const flaws = (more: object) =>
    mqtt.flawsOf(mqtt.form.parse({ ...source, setpoints: [{ ...limit, ...more }] }))
      .map(({ path, message }) => `${path}: ${message}`);
  assert.deepEqual(flaws({}), []);
  assert.deepEqual(flaws({ tag: "limit" }), [
    "setpoints[0].tag: is brought by none of the topics: say by which topic the device tells its " +
    "value",
  ]);
  assert.deepEqual(flaws({ topic: "plant/I1/limit" }), [
    "setpoints[0].topic: is read by topics[0]: a command would confirm itself",
  ]);
  assert.deepEqual(flaws({ payload: "on" }), [
    "setpoints[0].payload: has neither {value} nor {boolean}",
  ]);
  assert.deepEqual(flaws({ payload: "{boolean}" }), [
    "setpoints[0].payload: has {boolean}: that is for min = 0, max = 1, step = 1",
  ]);
  assert.ok(!mqtt.form.safeParse({ ...source, setpoints: [{ ...limit, topic: "a/+" }] }).success);
});

const edge = {
  ...{ key: "edge", kind: "sparkplug", host: "b" },
  ...{ tag: "{node}.{device}.{metric}", node_tag: "{node}.{metric}" },
  setpoints: [
    { group: "g", node: "n", device: "inv", metric: "P", setpoint },
    { group: "g", node: "n", device: "inv", metric: "T", setpoint: { ...setpoint, min: -200 } },
    { group: "g", node: "n", metric: "uptime", setpoint },
    { group: "g", node: "n", metric: "Lost", setpoint },
  ],
} as const;

Deno.test("a metric is set by the type of its birth, and its data confirm it", async () => {
  const { broker, send, told, passUntil, latest, clock, close } = await opened(
    edge as unknown as SourceInput,
  );
  const node = new FakeNode(broker, "n", () => Math.floor(clock.now_us / 1000));
  assert.deepEqual(await send("n.inv.P", 60), [
    ...["not_sent", null, null, "the node g/n is not there: it has sent no birth"],
  ]);
  node.born();
  await passUntil(() => latest("n.inv.P") !== undefined, "a birth");
  const device = "spBv1.0/g/DCMD/n/inv";
  onTold(broker, device, () => {
    const { payload } = broker.published.at(-1)!;
    const [{ name, raw }] = decodeSparkplug(payload).metrics;
    if (name === "P") {
      node.send("DDATA", [{ alias: 2, double: Number((raw as { value: number }).value) }], {
        device: "inv",
      });
    }
  });
  assert.deepEqual(await send("n.inv.P", 60.5), ["confirmed", 100.5, 60.5, null]);
  assert.deepEqual((await send("n.inv.T", -100)).slice(0, 2), ["unconfirmed", -1]);
  const sent = told(device).map(({ payload }) => decodeSparkplug(payload));
  assert.deepEqual(sent.map(({ metrics: [{ name, type, raw }] }) => [name, type, raw]), [
    ["P", 10, { kind: "number", value: 60.5 }],
    ["T", 1, { kind: "integer", value: 0xffff_ff9cn }],
  ]);
  assert.ok(told(device).every(({ retain }) => !retain));
  // What was kept for later is no answer.
  onTold(
    broker,
    "spBv1.0/g/NCMD/n",
    () => node.send("NDATA", [{ alias: 1, long: 50n, is_historical: true }]),
  );
  assert.deepEqual((await send("n.uptime", 50)).slice(0, 2), ["unconfirmed", 5]);
  onTold(
    broker,
    "spBv1.0/g/NCMD/n",
    () => {
      const ts_ms = Math.floor(clock.now_us / 1000) - 120_000;
      node.send("NDATA", [{ alias: 1, long: 50n, ts_ms }]);
    },
  );
  assert.deepEqual((await send("n.uptime", 50)).slice(0, 2), ["unconfirmed", 5]);
  assert.deepEqual((await send("n.uptime", 0.5))[3], "the metric uptime can't hold 0.5");
  assert.deepEqual((await send("n.Lost", 5))[3], "no birth has told of the metric Lost");
  node.dead();
  await passUntil(() => (latest("n.inv.P")?.quality ?? 0) > 0, "the death");
  assert.match((await send("n.inv.P", 50))[3], /is not there/);
  await close();
});

Deno.test("a metric holds what its type does, and texts are set by nobody", () => {
  const held = (type: number | undefined, value: number) => {
    const found = settingMetric("m", { type, value, ts_ms: 0 });
    return typeof found === "string" ? found : found.value;
  };
  assert.deepEqual([held(11, 1), held(11, 2), held(5, 256), held(2, -32_768)], [
    ...[true, "can't hold 2", "can't hold 256", -32_768],
  ]);
  assert.deepEqual([held(9, 1e39), held(4, 0.5), held(8, 2 ** 40)], [
    ...["can't hold 1e+39", "can't hold 0.5", 2 ** 40],
  ]);
  assert.deepEqual(held(12, 1), "is of a type (12) of no numbers");
  const flaws = (more: object) =>
    sparkplug.flawsOf(sparkplug.form.parse({
      ...{ ...edge, groups: ["g"] },
      setpoints: [edge.setpoints[0], { ...edge.setpoints[1], ...more }],
    })).map(({ path, message }) => `${path}: ${message}`);
  assert.deepEqual(flaws({}), []);
  assert.deepEqual(flaws({ metric: "P" }), [
    ...["setpoints[1].metric: has the tag n.inv.P, as setpoints[0]"],
  ]);
  assert.deepEqual(flaws({ group: "h" }), ["setpoints[1].group: is none of groups"]);
  assert.deepEqual(flaws({ metric: "Device Control/Reboot" }), [
    "setpoints[1].metric: controls the node, and tells no value that confirms it",
  ]);
});
