// Wattkeeper as a Sparkplug edge node, and plain MQTT, at a real broker, heard by its own host.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { systemEffects } from "../../../src/base/effects.ts";
import { systemConnect } from "../../../src/base/effects_line.ts";
import { SparkplugHost } from "../../../src/engine/devices/sparkplug_host.ts";
import { MqttClient } from "../../../src/engine/devices/mqtt_client.ts";
import { parseSparkplugTopic } from "../../../src/model/sources/sparkplug.ts";
import { decodeSparkplug, rebirthRequest } from "../../../src/wire/sources/sparkplug.ts";
import { openSending } from "../../help/destination.ts";
import { hasMosquitto, startMosquitto } from "../../help/mosquitto.ts";

const ignore = !hasMosquitto();
const settings = { destination_allow: "127.0.0.1" };
const effects = systemEffects();
const never = new AbortController().signal;

const entryOf = (port: number, key: string) => ({
  ...{ key, host: "127.0.0.1", port, tls: false, version: "5" as const, keep_alive_s: 30 },
  timeout_ms: 10_000,
});

/** Somebody who hears all of a broker. */
function listen(port: number, key = "ear") {
  return MqttClient.open(
    { entry: entryOf(port, key), session_s: 0, filters: ["#"], qos: 1 },
    { ears: { heard: () => {}, subscribed: () => {} }, effects },
    never,
  );
}

Deno.test({
  name: "births and data reach a host once, old ones as history; rebirth and death are honoured",
  ignore,
  async fn() {
    const broker = await startMosquitto(["allow_anonymous true"]);
    const ear = await listen(broker.port);
    const rows: { tag: string; ts_us: number; value?: number | bigint | string }[] = [];
    const host = new SparkplugHost({
      tagOf: ({ device }, metric) => [device ?? [], metric].flat().join("."),
      emit: (row) => void rows.push(row),
      refuse: (of, flaw) => {
        throw new Error(`${of.type} ${flaw}`);
      },
      ask: () => {},
      turned: () => {},
      effects,
    });
    const heard: string[] = [];
    const hear = async (until: (word: string) => boolean) => {
      for (let is_done = false; !is_done;) {
        for (const { topic, payload, arrived_us } of (await ear.take(never)).messages) {
          const of = parseSparkplugTopic(topic);
          if (of === undefined) continue;
          heard.push(`${of.type}${of.device ? ` ${of.device}` : ""}`);
          host.take({ ...of, payload: decodeSparkplug(payload), arrived_us });
          is_done ||= until(heard.at(-1)!);
        }
      }
    };
    const world = await openSending({ settings, connect: systemConnect });
    const ticking = setInterval(() => world.service.clock.advance(50), 10);
    try {
      await world.put({
        ...{ key: "edge", kind: "sparkplug", host: "127.0.0.1", port: broker.port },
        ...{ group: "plants", node: "p1", history: true },
      });
      await world.send([
        { tag: "a", ts: "2026-06-01T11:00:00Z", value: 1.5 },
        { tag: "a", ts: "2026-06-01T11:01:00Z", value: 2.5 },
        { tag: "n", ts: "2026-06-01T11:01:00Z", value_int: "-7" },
        { tag: "t", ts: "2026-06-01T11:01:00Z", value_str: "läuft" },
      ]);
      await world.turn();
      await hear((word) => word === "NDATA");
      const once = new Set(rows.map(({ tag, ts_us, value }) => `${tag} ${ts_us % 3.6e9} ${value}`));
      const [first, ...others] = [...once].sort();
      deepEqual([first, others.length], ["a 0 1.5", 3]);
      await ear.publish({ topic: "spBv1.0/plants/NCMD/p1", payload: rebirthRequest(1) });
      await hear((word) => word === "NBIRTH");
      await world.service.services.destinations.leave({ destination_no: 1 });
      await hear((word) => word === "NDEATH");
      await world.service.services.destinations.reload();
      await world.send([{ tag: "a", ts: "2026-06-01T11:02:00Z", value: 3 }]);
      await world.turn();
      await hear((word) => word === "NDATA");
      ok(rows.some(({ value }) => value === 3));
    } finally {
      clearInterval(ticking);
      await world.close();
      await ear.close();
      await broker.stop();
    }
  },
});

Deno.test({
  name: "plain messages are confirmed by the broker before they are done",
  ignore,
  async fn() {
    const broker = await startMosquitto(["allow_anonymous true"]);
    const ear = await listen(broker.port);
    const world = await openSending({ settings, connect: systemConnect });
    try {
      await world.put({ key: "out", kind: "mqtt", host: "127.0.0.1", port: broker.port });
      await world.send(Array.from({ length: 100 }, (_, i) => (
        { tag: `inv/${i}`, ts: "2026-06-01T11:00:00Z", value: i }
      )));
      await world.turn();
      const texts = new Map<string, string>();
      while (texts.size < 100) {
        const taken = await ear.take(never);
        await ear.acknowledge(taken);
        for (const { topic, payload } of taken.messages) {
          texts.set(topic, new TextDecoder().decode(payload));
        }
      }
      deepEqual(
        texts.get("p1/inv/7"),
        '{"tag":"inv/7","ts":"2026-06-01T11:00:00.000000Z","value":7}',
      );
      const { state } = await world.shown();
      deepEqual([state.reason, state.waiting_rows, state.days[0].rows], [null, 0, 100]);
      await broker.stop();
      await world.send([{ tag: "b", ts: "2026-06-01T11:00:00Z", value: 1 }]);
      await world.turn();
      match((await world.shown()).state.reason, /^the broker: /);
      equal((await world.shown()).state.waiting_rows, 1);
    } finally {
      await world.close();
      await ear.close().catch(() => {});
    }
  },
});
