// The session at a real broker: messages, certificates, passwords, rights.
import assert from "node:assert/strict";
import { systemEffects } from "../../../src/base/effects.ts";
import type { LineTls } from "../../../src/base/effects_line.ts";
import { failureOf } from "../../../src/engine/devices/driver.ts";
import { MqttClient } from "../../../src/engine/devices/mqtt_client.ts";
import { MessageRefusal, type SessionWish } from "../../../src/engine/devices/mqtt_session.ts";
import { unheard } from "../../../src/wire/sources/mqtt_packet.ts";
import { mqtt } from "../../../src/model/sources/kinds/mqtt.ts";
import { makeCertificates } from "../../help/certificate.ts";
import { hasMosquitto, startMosquitto } from "../../help/mosquitto.ts";
import { payloadOf } from "../../help/broker.ts";
import { socketTest } from "../../help/receiver.ts";

const is_here = hasMosquitto();
const made = is_here ? makeCertificates() : undefined;
const brokerTest: typeof socketTest = is_here ? socketTest : () => {};
const encryptedTest: typeof socketTest = made ? socketTest : () => {};

/** A session that ends with its test; resolves once it has subscribed. */
async function open(
  port: number,
  more: Record<string, unknown> = {},
  wish: Partial<SessionWish> = {},
) {
  const topics = [{ topic: "x", tag: "x" }];
  const input = { key: "k", kind: "mqtt", host: "localhost", port, topics, ...more };
  const entry = mqtt.form.parse(input);
  const subscribed = Promise.withResolvers<{ refused: readonly string[]; is_kept: boolean }>();
  subscribed.promise.catch(() => {});
  const ears = { heard: () => {}, subscribed: subscribed.resolve };
  const stop = new AbortController();
  const client = await MqttClient.open(
    { entry, session_s: 600, filters: ["t/+"], qos: 1, ...wish },
    { ears, effects: systemEffects() },
    stop.signal,
  );
  client.take(stop.signal).catch(subscribed.reject);
  const session = await subscribed.promise.catch(async (error) => {
    await client.close();
    throw error;
  });
  return { client, session };
}

const refusal = (opening: Promise<unknown>) =>
  opening.then(() => assert.fail("it was let in"), (error) => failureOf(error));

for (const version of ["3.1.1", "5"]) {
  brokerTest(`MQTT ${version}: what is not acknowledged comes again`, async () => {
    const broker = await startMosquitto(["allow_anonymous true"]);
    const taking = async (client: MqttClient) => await client.take(new AbortController().signal);
    const effects = systemEffects();
    const ears = { heard: () => {}, subscribed: () => {} };
    const entry = mqtt.form.parse({
      ...{ key: "k", kind: "mqtt", host: "127.0.0.1", port: broker.port, version },
      topics: [{ topic: "t/{a}", tag: "{a}" }],
    });
    const wish: SessionWish = { entry, session_s: 600, filters: ["t/+"], qos: 1 };
    const { signal } = new AbortController();
    const first = await MqttClient.open(wish, { ears, effects }, signal);
    const { client: sender } = await open(broker.port, { client_id: "sender" }, { filters: ["o"] });
    for (let i = 0; i < 10; i++) {
      await sender.publish({ topic: "t/a", payload: payloadOf(`${i}`), qos: 1 });
    }
    const ids: number[] = [];
    while (ids.length < 10) ids.push(...(await taking(first)).ids);
    await first.acknowledge({ count: 4, ids: ids.slice(0, 4) });
    await first.close();
    const again = await MqttClient.open(wish, { ears, effects }, signal);
    const texts: string[] = [];
    while (texts.length < 6) {
      const taken = await taking(again);
      texts.push(...taken.messages.map(({ payload }) => new TextDecoder().decode(payload)));
      await again.acknowledge(taken);
    }
    assert.deepEqual(texts, ["4", "5", "6", "7", "8", "9"]);
    await again.close();
    await sender.close();
    await broker.stop();
  });
}

brokerTest("a wrong password and a wrong name are told", async () => {
  const folder = await Deno.makeTempDir();
  await new Deno.Command("mosquitto_passwd", {
    args: ["-b", "-c", `${folder}/passwords`, "plant", "right"],
  }).output();
  const broker = await startMosquitto([
    "allow_anonymous false",
    `password_file ${folder}/passwords`,
  ]);
  const { client } = await open(broker.port, { user: "plant" }, { password: "right" });
  await client.close();
  for (const version of ["3.1.1", "5"]) {
    const found = await refusal(open(broker.port, { user: "plant", version }, { password: "no" }));
    assert.equal(found.kind, "denied");
    assert.match(found.message, /password is wrong/);
  }
  await broker.stop();
});

brokerTest("a message that nobody hears, and one that is refused, are told", async () => {
  const folder = await Deno.makeTempDir();
  const rights = ["topic read t/+", "topic readwrite set/#"];
  await Deno.writeTextFile(`${folder}/rights`, `${rights.join("\n")}\n`);
  const broker = await startMosquitto(["allow_anonymous true", `acl_file ${folder}/rights`]);
  const { client: device } = await open(broker.port, { client_id: "d" }, { filters: ["set/a"] });
  const { client } = await open(broker.port);
  const { signal } = new AbortController();
  const send = (topic: string) => client.publishAll([{ topic, payload: payloadOf("60") }], signal);
  assert.deepEqual([await send("set/a"), await send("set/b")], [[0], [unheard]]);
  const found = await refusal(send("other/a"));
  assert.deepEqual([found.kind, found instanceof MessageRefusal], ["denied", true]);
  assert.match(found.message, /^the broker refuses a message: .*no right to it/);
  await client.close();
  await device.close();
  await broker.stop();
});

encryptedTest("certificates: its own is asked for, and must be the authority's", async () => {
  const { path, text } = made!;
  const broker = await startMosquitto([
    ...["allow_anonymous true", `cafile ${path("ca.pem")}`, `certfile ${path("server.pem")}`],
    ...[`keyfile ${path("server.key")}`, "require_certificate true"],
  ]);
  const by = (tls: LineTls) => open(broker.port, { tls: true }, { tls });
  const own = { ca: made!.ca, cert: made!.client, key: text("client.key") };
  const { client, session } = await by(own);
  assert.deepEqual(session, { refused: [], is_kept: false });
  await client.close();
  for (
    const [tls, words] of [
      [{ ca: made!.ca }, /wants a certificate, and none is given/],
      [{ ...own, cert: made!.stranger, key: text("stranger.key") }, /not accept the own cert/],
      [{ ...own, cert: made!.old, key: text("old.key") }, /has expired or was revoked/],
      [{ ...own, key: text("server.key") }, /not that of the certificate/],
      [{ ...own, ca: undefined }, /signed by nobody who is known here/],
    ] as const
  ) {
    const found = await refusal(by(tls));
    assert.equal(found.kind, "denied", found.message);
    assert.match(found.message, words);
  }
  const plain = await refusal(open(broker.port));
  assert.match(plain.message, /expect TLS/);
  await broker.stop();
});

brokerTest("a broker without TLS is told from one with it", async () => {
  const broker = await startMosquitto(["allow_anonymous true"]);
  const found = await refusal(open(broker.port, { tls: true }, { tls: {} }));
  assert.match(found.message, /does it speak TLS at this port/);
  await broker.stop();
});
