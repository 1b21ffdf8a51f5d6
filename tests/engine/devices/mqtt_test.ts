// Sources of the kind mqtt: samples, acknowledgements after the commit, gaps, refusals, takeovers.
import assert from "node:assert/strict";
import { FakeBroker } from "../../help/broker.ts";
import { readingService, type SourceInput } from "../../help/sources.ts";

type MqttInput = Extract<SourceInput, { kind: "mqtt" }>;

const source = (more: Partial<MqttInput> = {}): MqttInput => ({
  key: "broker",
  kind: "mqtt",
  host: "b",
  topics: [{ topic: "plant/{device}/{point}", tag: "{device}.{point}" }],
  ...more,
});

async function open(more: Partial<MqttInput> = {}) {
  const broker = new FakeBroker();
  const service = await readingService((place) => broker.connect(place), [source(more)]);
  const state = async () => (await service.sources())[0].state;
  const stored = async (tag: string): Promise<readonly string[]> => {
    const span = "from=2026-06-01T00:00:00Z&to=2026-06-02T00:00:00Z&limit=5000";
    const path = `/platform/v1/signals?project_id=p&tag=${tag}&${span}&format=csv`;
    const answer = await service.fetch(path);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return text.trim().split(/\r?\n/).slice(1);
  };
  return { broker, ...service, state, stored };
}

const timed = { topic: "t/{device}", tag: "{device}.p", value: "v", time: "ts" };
const message = (at: string, v: number) => JSON.stringify({ v, ts: `2026-06-01T${at}Z` });

Deno.test("a message becomes a sample, and is acknowledged", async () => {
  const { broker, passUntil, latest, close, clock } = await open();
  await passUntil(() => broker.clients.size === 1, "a client");
  broker.publish("plant/I1/p", "812.5");
  broker.publish("plant/I1/on", "true");
  broker.publish("plant/I1/mode", "island");
  await passUntil(() => broker.acknowledged === 3, "acknowledgements");
  assert.equal(latest("I1.p")?.value, 812.5);
  assert.equal(latest("I1.on")?.value, 1);
  assert.equal(latest("I1.mode")?.value, "island");
  assert.ok(clock.now_us - latest("I1.p")!.ts_us < 60e6);
  await passUntil(() => latest("broker.connected")?.value === 1, "its state");
  await close();
});

Deno.test("how far the devices' clock is ahead is measured and told", async () => {
  const { broker, passUntil, latest, clock, state, close } = await open({ topics: [timed] });
  await passUntil(() => broker.clients.size === 1, "a client");
  const send = (ahead_s: number) => {
    const ts = new Date(clock.now_us / 1000 + 1000 * ahead_s).toISOString();
    broker.publish("t/I1", JSON.stringify({ v: 1, ts }));
  };
  send(-600);
  send(7.5);
  send(-30);
  await passUntil(() => latest("broker.clock_ahead_s") !== undefined, "the clock");
  assert.ok(Math.abs(Number(latest("broker.clock_ahead_s")!.value) - 7.5) < 1);
  assert.ok(Math.abs((await state()).clock_ahead_s - 7.5) < 1);
  await close();
});

Deno.test("nothing is acknowledged before it is on disk", async () => {
  const { broker, passUntil, pass, services, latest, close } = await open();
  await passUntil(() => broker.clients.size === 1, "a client");
  const gate = Promise.withResolvers<void>();
  const { ingest } = services;
  const add = ingest.add.bind(ingest);
  ingest.add = async (...args) => {
    await gate.promise;
    return await add(...args);
  };
  for (let i = 0; i < 100; i++) broker.publish(`plant/I${i}/p`, `${i}`);
  await pass(100, 10);
  assert.equal(broker.acknowledged, 0);
  gate.resolve();
  await passUntil(() => broker.acknowledged === 100, "acknowledgements");
  assert.equal(latest("I99.p")?.value, 99);
  await close();
});

Deno.test("messages that no database takes are tried again, not lost", async () => {
  const { broker, passUntil, pass, services, latest, close } = await open();
  await passUntil(() => broker.clients.size === 1, "a client");
  const { ingest } = services;
  const add = ingest.add.bind(ingest);
  ingest.add = () => Promise.reject(new Error("the disk is full"));
  broker.publish("plant/I1/p", "5");
  await pass(1000, 5);
  assert.equal(broker.acknowledged, 0);
  ingest.add = add;
  await passUntil(() => broker.acknowledged === 1, "an acknowledgement");
  assert.equal(latest("I1.p")?.value, 5);
  await close();
});

for (const version of ["3.1.1", "5"] as const) {
  Deno.test(`MQTT ${version}: what a crash of the broker interrupts comes once`, async () => {
    const { broker, passUntil, state, services, stored, close } = await open({
      version,
      topics: [timed],
    });
    await passUntil(() => broker.clients.size === 1, "a client");
    let sent = 0;
    for (let round = 0; round < 10; round++) {
      for (let i = 0; i < 50; i++) {
        broker.publish("t/I1", message(`11:${10 + round}:${10 + i}`, sent++));
      }
      broker.crash();
      for (let i = 0; i < 5; i++) {
        broker.publish("t/I2", message(`11:${10 + round}:${10 + i}`, sent++));
      }
      await passUntil(() => broker.clients.size === 1, "the client again");
    }
    const waiting = () =>
      [...broker.sessions.values()].reduce((sum, it) => sum + it.waiting.size, 0);
    await passUntil(() => waiting() === 0, "all acknowledgements");
    assert.equal((await stored("I1.p")).length, 500);
    assert.equal((await stored("I2.p")).length, 50);
    assert.equal(services.ingest.totals.rejected, 0);
    const { gaps } = await state();
    assert.equal(gaps.length, 10);
    assert.match(gaps[0].reason, /kept the session/);
    await close();
  });
}

Deno.test("a broker that has forgotten the session shows as a span", async () => {
  const { broker, passUntil, pass, state, latest, close, clock } = await open();
  await passUntil(() => broker.clients.size === 1, "a client");
  await pass(1000, 20);
  broker.crash({ forget: true });
  broker.is_up = false;
  const from_us = clock.now_us;
  await pass(1000, 120);
  assert.equal(latest("broker.connected")?.value, 0);
  assert.ok(Number(latest("broker.gap_s")?.value) >= 60);
  broker.is_up = true;
  await passUntil(() => broker.clients.size === 1, "the client again");
  await passUntil(async () => (await state()).gaps.length === 1, "a gap");
  const [gap] = (await state()).gaps;
  assert.match(gap.reason, /had no session/);
  assert.ok(Math.abs(Date.parse(gap.from) * 1000 - from_us) <= 31e6, "the last that was heard");
  assert.ok(Date.parse(gap.to) - Date.parse(gap.from) >= 120_000);
  await passUntil(() => latest("broker.gap_s")?.value === 0, "the end of the gap");
  await close();
});

Deno.test("a gap over a start of the source anew is known from its tag", async () => {
  const { broker, passUntil, pass, state, apply, close } = await open();
  await passUntil(() => broker.clients.size === 1, "a client");
  await pass(1000, 90);
  await apply([source({ enabled: false })]);
  await pass(1000, 300);
  await apply([source()]);
  await passUntil(() => broker.clients.size === 1, "the client again");
  await passUntil(async () => (await state())?.gaps.length === 1, "a gap");
  const [gap] = (await state()).gaps;
  const length_s = (Date.parse(gap.to) - Date.parse(gap.from)) / 1000;
  assert.ok(length_s >= 300 && length_s < 400, `${length_s} s`);
  await close();
});

Deno.test("with QoS 0 nothing is kept, and that is said", async () => {
  const { broker, passUntil, state, latest, close } = await open({ qos: 0 });
  await passUntil(() => broker.clients.size === 1, "a client");
  assert.equal(broker.connects[0].clean, true);
  broker.publish("plant/I1/p", "1");
  await passUntil(() => latest("I1.p")?.value === 1, "a sample");
  assert.equal(broker.acknowledged, 0);
  broker.crash();
  await passUntil(async () => (await state()).gaps.length === 1, "a gap");
  assert.match((await state()).gaps[0].reason, /keeps nothing/);
  await close();
});

const refusals = [
  ["a wrong password", { code: 5, version: "3.1.1" }, "denied", /password is wrong/],
  ["a wrong password", { code: 0x86, version: "5" }, "denied", /user or the password/],
  ["no right to connect", { code: 0x87, version: "5" }, "denied", /not authorized/],
  ["an old broker", { code: 1, version: "5" }, "protocol", /version of MQTT/],
  ["a client_id", { code: 2, version: "3.1.1" }, "denied", /client_id/],
] as const;

for (const [what, { code, version }, kind, words] of refusals) {
  Deno.test(`MQTT ${version}: a refusal for ${what} (${code}) says so`, async () => {
    const broker = new FakeBroker();
    broker.admits = () => code;
    const service = await readingService(broker.connect, [source({ version })]);
    const state = async () => (await service.sources())[0].state;
    await service.passUntil(async () => (await state())?.connected === false, "a refusal");
    const { last_error, errors } = await state();
    assert.match(last_error, words);
    assert.ok(errors[kind] >= 2);
    await service.close();
  });
}

Deno.test("a subscription that is refused is told; the others are read", async () => {
  const { broker, passUntil, state, latest, close } = await open({
    topics: [
      { topic: "plant/{device}/{point}", tag: "{device}.{point}" },
      { topic: "secret/{point}", tag: "{point}" },
    ],
  });
  broker.grants = (topic) => topic.startsWith("secret") ? 0x80 : 1;
  await passUntil(() => broker.clients.size === 1, "a client");
  broker.publish("plant/I1/p", "1");
  await passUntil(() => latest("I1.p")?.value === 1, "a sample");
  const { notes, errors } = await state();
  assert.match(notes[0], /refuses the subscription to secret\/\+.*right/);
  assert.equal(errors.denied, 1);
  await close();
});

Deno.test("where every subscription is refused the source is not connected", async () => {
  const broker = new FakeBroker();
  broker.grants = () => 0x87;
  const service = await readingService(broker.connect, [source()]);
  const state = async () => (await service.sources())[0].state;
  await service.passUntil(async () => (await state())?.connected === false, "a refusal");
  assert.match((await state()).last_error, /refuses the subscription to plant\/\+\/\+: .*not auth/);
  // It is tried again, ever more seldom.
  await service.pass(1000, 300);
  assert.ok(broker.connects.length < 20, `${broker.connects.length} times`);
  await service.close();
});

Deno.test("a broker that closes at once may expect TLS", async () => {
  const broker = new FakeBroker();
  broker.is_mute = true;
  const service = await readingService(broker.connect, [source()]);
  const state = async () => (await service.sources())[0].state;
  await service.passUntil(async () => (await state())?.connected === false, "a refusal");
  assert.match((await state()).last_error, /without an answer: does it expect TLS/);
  await service.close();
});

Deno.test("another client of the same name is told, and not fought without end", async () => {
  const { broker, passUntil, pass, state, close } = await open({ client_id: "gateway" });
  await passUntil(() => broker.clients.size === 1, "a client");
  // The rival signs in again each time that it is thrown out.
  const rival = () => broker.clients.get("gateway")?.end({ quietly: true });
  for (let i = 0; i < 5; i++) {
    await passUntil(() => broker.clients.has("gateway"), "the client");
    rival();
  }
  await passUntil(async () => /same client_id/.test((await state()).last_error ?? ""), "a word");
  assert.match((await state()).last_error, /"gateway".*another client_id/);
  const before = broker.connects.length;
  await pass(1000, 25);
  assert.equal(broker.connects.length, before);
  await close();
});

Deno.test("a broker that is silent is left, and asked whether it is there before", async () => {
  const { broker, passUntil, state, close } = await open({ keep_alive_s: 10 });
  await passUntil(() => broker.clients.size === 1, "a client");
  const [client] = [...broker.clients.values()];
  Object.assign(client, { send: () => {} });
  await passUntil(async () => (await state()).errors.timeouts === 1, "a timeout");
  assert.match((await state()).last_error, /silent for 15 s/);
  await passUntil(() => broker.connects.length === 2, "another connection");
  await close();
});

Deno.test("the status topic says online and offline, even when the source dies", async () => {
  const { broker, passUntil, close } = await open({ status_topic: "wk/status" });
  await passUntil(() => broker.published.length === 1, "a status");
  assert.deepEqual(
    { topic: "wk/status", text: "online", retain: true },
    (({ topic, text, retain }) => ({ topic, text, retain }))(broker.published[0]),
  );
  broker.clients.get("wattkeeper-broker")!.end();
  assert.equal(broker.published[1].text, "offline");
  await passUntil(() => broker.published.length === 3, "the status again");
  await close();
  assert.deepEqual(broker.published.map(({ text }) => text).slice(2), ["online", "offline"]);
});

Deno.test("a payload that can't be read is counted with its topic, and never blocks", async () => {
  const { broker, passUntil, state, latest, close } = await open({
    topics: [timed, { topic: "plant/{device}/{point}", tag: "{device}.{point}" }],
  });
  await passUntil(() => broker.clients.size === 1, "a client");
  broker.publish("t/I1", "no json");
  broker.publish("t/I1", '{"v":1,"ts":"2026-06-01T10:00:00"}');
  broker.publish("t/I1", '{"other":1}');
  broker.publish("plant/I1/p", '{"v":1}');
  broker.publish("plant/I1/p", new Uint8Array([0xff, 0xfe]));
  broker.publish("t/I1", new Uint8Array(1024 * 1024 + 1).fill(0x20));
  broker.publish("t/I1", new Uint8Array(2 * 1024 * 1024).fill(0x20));
  broker.publish("t/I1", message("11:00:00", 7));
  await passUntil(() => broker.acknowledged === 8, "acknowledgements");
  assert.equal(latest("I1.p")?.value, 7);
  const { rejected, errors } = await state();
  assert.equal(errors.rejected, 7);
  assert.deepEqual(
    rejected.map(({ topic, reason }: Record<string, string>) => [topic, reason]),
    [
      ["t/I1", "the message is no JSON"],
      ["t/I1", "the message has a time without an offset: Z or +02:00"],
      ["t/I1", "the message has no value at v"],
      [
        "plant/I1/p",
        'the message is JSON: say by `value` where its value stands, such as value = "v"',
      ],
      ["plant/I1/p", "the message is not UTF-8 text"],
      ["t/I1", "the message has more than 1048576 bytes"],
    ],
  );
  await close();
});

Deno.test("retained messages are taken where they tell their time, or all are wanted", async () => {
  const { broker, passUntil, apply, latest, state, close } = await open({
    topics: [timed, { topic: "plant/{device}/{point}", tag: "{device}.{point}" }],
  });
  broker.publish("t/I1", message("11:00:00", 7), { retain: true });
  broker.publish("plant/I1/q", "3", { retain: true });
  await passUntil(() => latest("I1.p")?.value === 7, "a sample");
  await passUntil(() => broker.acknowledged === 2, "acknowledgements");
  assert.equal(latest("I1.q"), undefined);
  assert.match((await state()).notes[0], /retained = "all"/);
  await apply([source({ retained: "all", client_id: "anew" })]);
  await passUntil(() => latest("I1.q")?.value === 3, "a sample");
  await close();
});

Deno.test("the messages of one moment keep apart where they have no time", async () => {
  const { broker, passUntil, stored, close } = await open();
  await passUntil(() => broker.clients.size === 1, "a client");
  for (let i = 0; i < 500; i++) broker.publish("plant/I1/p", `${i}`);
  await passUntil(() => broker.acknowledged === 500, "acknowledgements");
  assert.equal((await stored("I1.p")).length, 500);
  await close();
});

Deno.test("secrets are read from the organization's own folder, at each connection", async () => {
  const folder = await Deno.makeTempDir();
  const broker = new FakeBroker();
  const given = () => broker.connects.map(({ password }) => `${password}`);
  const more = { user: "plant", password_file: "broker.password" };
  const service = await readingService(broker.connect, [source(more)], { data_dir: folder });
  const state = async () => (await service.sources())[0].state;
  const { key } = service.services.catalog.organizations[0];
  await service.passUntil(async () => (await state())?.connected === false, "a refusal");
  assert.match((await state()).last_error, /there is no file .*secrets\/.*broker\.password/);
  assert.equal(broker.connects.length, 0);
  await Deno.mkdir(`${folder}/secrets/${key}`, { recursive: true });
  await Deno.mkdir(`${folder}/secrets/other`);
  await Deno.writeTextFile(`${folder}/secrets/other/broker.password`, "of others");
  await Deno.writeTextFile(`${folder}/secrets/${key}/broker.password`, "right\n");
  await service.passUntil(() => broker.clients.size === 1, "a client");
  assert.deepEqual(given(), ["right"]);
  await Deno.writeTextFile(`${folder}/secrets/${key}/broker.password`, "newer");
  broker.crash();
  await service.passUntil(() => broker.clients.size === 1, "the client again");
  assert.deepEqual(given(), ["right", "newer"]);
  const shown = JSON.stringify(await service.sources());
  assert.ok(!/right|newer/.test(shown), "no secret is shown");
  await service.close();
});

for (const name of ["../other/x", "/etc/passwd", ".", "a/b", ".hidden"]) {
  Deno.test(`the name of a secret is no path: ${name}`, async () => {
    const broker = new FakeBroker();
    const wrong = source({ user: "u", password_file: name });
    await assert.rejects(
      readingService(broker.connect, [wrong]),
      /password_file.*without a path/,
    );
  });
}
