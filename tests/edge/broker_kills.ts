// `deno run -A tests/edge/broker_kills.ts [messages=4000] [kills=20]`: a mosquitto is killed while
// the service reads from it. What it lost has to lie in a span that the source tells of; nothing
// may be stored twice.
import { deepEqual, ok } from "node:assert/strict";
import { systemEffects } from "../../src/base/effects.ts";
import { MqttClient } from "../../src/engine/devices/mqtt_client.ts";
import { mqtt } from "../../src/model/sources/kinds/mqtt.ts";
import { payloadOf } from "../help/broker.ts";
import { declareProject } from "../help/client.ts";
import { startMosquitto } from "../help/mosquitto.ts";
import { startServer } from "../help/process.ts";

const [messages = 4_000, kills = 20] = Deno.args.map(Number);
const start_ms = Date.now() - 3_600_000;
/** A message may wait in its broker for so long before it is killed. */
const slack_ms = 5_000;

const store = await Deno.makeTempDir({ prefix: "wattkeeper-broker-" });
const lines = [
  ...["allow_anonymous true", "max_queued_messages 0", "persistence true"],
  "max_inflight_messages 1000",
  ...[`persistence_location ${store}/`, "autosave_on_changes true", "autosave_interval 1"],
];
let broker = await startMosquitto(lines);
const { port } = broker;
const folder = await Deno.makeTempDir();
const server = await startServer(folder);
const client = await declareProject(server);
await call("/platform/v1/sources/b?", {
  method: "PUT",
  body: JSON.stringify({
    ...{ kind: "mqtt", host: "127.0.0.1", port },
    topics: [{ topic: "plant/{device}", tag: "{device}", value: "v", time: "ts" }],
  }),
});
await untilConnected();

/** When a message was published, by its number. */
const published_ms: number[] = [];
/** The spans that the source told of: when each began, and when it ended. */
const told = new Map<string, string>();
let is_sent = false;
let killed = 0;
const killing = kill();
await publish();
is_sent = true;
await killing;
// A span is told when it has ended.
await untilConnected();
const values = await storedAtLast();
deepEqual(new Set(values).size, values.length, "no message is stored twice");
await hear();
const found = new Set(values);
const missing = published_ms.flatMap((at_ms, n) => found.has(n) ? [] : [at_ms]);
const gaps = [...told];
const untold = missing.filter((at_ms) => !gaps.some(([from, to]) => isWithin(at_ms)({ from, to })));
systemEffects().out(
  `${messages} messages, ${killed} kills of the broker: ${found.size} are stored, each once; ` +
    `${missing.length} were lost by it, ${untold.length} of them outside of the spans told\n`,
);
await server.end("SIGTERM");
await broker.stop();
for (const path of [store, folder]) await Deno.remove(path, { recursive: true });
ok(untold.length === 0 && found.size > 0);
Deno.exit(0);

function isWithin(at_ms: number) {
  return ({ from, to }: { readonly from: string; readonly to: string }) =>
    at_ms >= Date.parse(from) - slack_ms && at_ms <= Date.parse(to) + slack_ms;
}

/** Takes down the spans that are told now: the state shows the last ones alone. */
async function hear(): Promise<void> {
  const [{ state }] = JSON.parse(await call("/platform/v1/sources?"));
  for (const { from, to } of state.gaps) told.set(from, to);
}

async function kill(): Promise<void> {
  for (; killed < kills && !is_sent; killed++) {
    await pause(300 + 1_500 * Math.random());
    await broker.stop();
    broker = await startMosquitto(lines, { port });
    await hear();
  }
}

async function publish(): Promise<void> {
  const entry = mqtt.form.parse({
    ...{ key: "sender", kind: "mqtt", host: "127.0.0.1", port },
    topics: [{ topic: "none", tag: "none" }],
  });
  const wish = { entry, session_s: 0, filters: ["none"], qos: 1 } as const;
  const tools = { ears: { heard() {}, subscribed() {} }, effects: systemEffects() };
  const open = () => MqttClient.open(wish, tools, new AbortController().signal);
  let sender: MqttClient | undefined;
  for (let n = 0; n < messages || killed < kills; n++) {
    const ts = new Date(start_ms + n * 100).toISOString();
    const payload = payloadOf(JSON.stringify({ v: n, ts }));
    for (;;) {
      try {
        sender ??= await open();
        published_ms[n] = Date.now();
        await sender.publish({ topic: `plant/I${n % 50}`, payload, qos: 1 });
        break;
      } catch {
        sender = undefined;
        await pause(100);
      }
    }
    await pause(5);
  }
  await sender?.close();
}

async function untilConnected(): Promise<void> {
  const isThere = async () => {
    const [{ state }] = JSON.parse(await call("/platform/v1/sources?"));
    return state.connected && state.devices.every((it: { connected: boolean }) => it.connected);
  };
  for (let quiet = 0; quiet < 20; quiet = await isThere() ? quiet + 1 : 0) await pause(200);
}

/** The values that are stored, once no more come. */
async function storedAtLast(): Promise<readonly number[]> {
  let [before, found]: (readonly number[])[] = [[], [-1]];
  for (let turn = 0; turn < 60 && found.length !== before.length; turn++) {
    await pause(3_000);
    before = found;
    const span = `from=${new Date(start_ms).toISOString()}&to=${new Date().toISOString()}`;
    const columns = "columns=sensor_tag,value&format=csv&resolution=raw&limit=100000";
    const text = await call(`/platform/v1/signals?${span}&${columns}&`);
    found = text.split("\n").flatMap((line) => /^I\d+,(\d+)/.exec(line)?.[1] ?? []).map(Number);
  }
  return found;
}

async function call(path: string, init: RequestInit = {}): Promise<string> {
  const headers = { authorization: `Bearer ${client.token}`, "content-type": "application/json" };
  const url = `${server.address}${path}project_id=${client.project_id}`;
  const answer = await fetch(url, { ...init, headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}

function pause(wait_ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, wait_ms));
}
