// `deno run -A tests/bench/mqtt_kills.ts [messages] [kills]`: the service is killed while it reads.
//
// A real mosquitto gets messages; the service is killed as by `kill -9`, at random moments, and
// started again. Each message has to be stored once in the end.
import { systemEffects } from "../../src/base/effects.ts";
import { MqttClient } from "../../src/engine/devices/mqtt_client.ts";
import { mqtt } from "../../src/model/sources/kinds/mqtt.ts";
import { payloadOf } from "../help/broker.ts";
import { declareProject } from "../help/client.ts";
import { startMosquitto } from "../help/mosquitto.ts";
import { startServer } from "../help/process.ts";

const [messages = 20_000, kills = 5] = Deno.args.map(Number);
const tags = 50;
const start_ms = Date.now() - 3_600_000;

const broker = await startMosquitto([
  "allow_anonymous true",
  "max_queued_messages 0",
  "max_inflight_messages 1000",
]);
const folder = await Deno.makeTempDir();
let server = await startServer(folder);
const client = await declareProject(server);
await call(`/platform/v1/sources/b?`, {
  method: "PUT",
  body: JSON.stringify({
    ...{ kind: "mqtt", host: "127.0.0.1", port: broker.port },
    topics: [{ topic: "plant/{device}", tag: "{device}", value: "v", time: "ts" }],
  }),
});
while (!/"connected":true/.test(await call("/platform/v1/sources?"))) await pause(50);
let is_sent = false;
const killing = kill();
await publish();
is_sent = true;
await killing;
const found = await storedAtLast();
systemEffects().out(`${messages} messages, ${kills} kills: ${found} are stored, each once\n`);
await server.end("SIGTERM");
await broker.stop();
Deno.exit(found === messages ? 0 : 1);

async function kill(): Promise<void> {
  for (let i = 0; i < kills && !is_sent; i++) {
    await pause(300 + 2_000 * Math.random());
    await server.end("SIGKILL");
    server = await startServer(folder);
  }
}

async function publish(): Promise<void> {
  const entry = mqtt.form.parse({
    ...{ key: "sender", kind: "mqtt", host: "127.0.0.1", port: broker.port },
    topics: [{ topic: "none", tag: "none" }],
  });
  const wish = { entry, session_s: 0, filters: ["none"], qos: 1 } as const;
  const tools = { ears: { heard() {}, subscribed() {} }, effects: systemEffects() };
  const sender = await MqttClient.open(wish, tools, new AbortController().signal);
  for (let n = 0; n < messages; n++) {
    const ts = new Date(start_ms + Math.floor(n / tags) * 100).toISOString();
    const payload = payloadOf(JSON.stringify({ v: n, ts }));
    await sender.publish({ topic: `plant/I${n % tags}`, payload, qos: 1 });
    if (n % tags === 0) await pause(20);
  }
  await sender.close();
}

/** How many messages are stored, once no more come. */
async function storedAtLast(): Promise<number> {
  let [before, found] = [-1, 0];
  for (let turn = 0; turn < 60 && (found < messages || found !== before); turn++) {
    await pause(500);
    before = found;
    const span = `from=${new Date(start_ms).toISOString()}&to=${new Date().toISOString()}`;
    const columns = "columns=sensor_tag,ts&format=csv&resolution=raw&limit=100000";
    const text = await call(`/platform/v1/signals?${span}&${columns}&`);
    found = text.split("\n").filter((line) => /^I\d+,/.test(line)).length;
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
