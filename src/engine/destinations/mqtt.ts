// Publishes samples at a broker, each as a message, which waits until the broker has confirmed it.
import { utf8 } from "../../base/bytes.ts";
import type { DestinationOf } from "../../model/destinations/form.ts";
import { destination_limits } from "../../model/destinations/limits.ts";
import { quality_names } from "../../model/samples/sample.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import type { MqttClient } from "../devices/mqtt_client.ts";
import { openBroker, throughBroker } from "./broker.ts";
import type { Courier, CourierTools } from "./courier.ts";
import { oldestFirst, samplesOf, type SentSample } from "./pieces.ts";

/** Brings what waits, the oldest first. */
export function mqttCourier(entry: DestinationOf<"mqtt">, tools: CourierTools): Courier {
  let client: MqttClient | undefined;
  const leave = async () => {
    const left = client;
    client = undefined;
    await left?.close();
  };
  return {
    next: oldestFirst(tools, destination_limits.body_rows),
    async carry(span, signal) {
      let [rows, bytes] = [0, 0];
      try {
        const own = client ??= await openBroker(entry, { tools, wish: { filters: [] }, signal });
        for await (const samples of samplesOf(tools, span)) {
          const notes = samples.map((it) => ({
            topic: topicOf(entry.topic, { project: tools.project.key, sample: it }),
            payload: utf8(textOfSample(it)),
            retain: entry.retain,
          }));
          await throughBroker(() => own.publishAll(notes, signal));
          signal.throwIfAborted();
          rows += notes.length;
          bytes += notes.reduce((sum, { payload }) => sum + payload.length, 0);
          tools.count(notes.length);
        }
      } catch (error) {
        await leave();
        throw error;
      }
      return { rows, bytes, asides: [] };
    },
    close: leave,
  };
}

/** A topic of a template; a tag's own `/` are levels, and no wild card is in it. */
function topicOf(
  template: string,
  { project, sample: { tag } }: { readonly project: string; readonly sample: SentSample },
): string {
  const words: Readonly<Record<string, string>> = {
    project,
    device: tag.device_key ?? "",
    tag: tag.sensor_tag,
  };
  return template.replaceAll(/\{(project|device|tag)\}/g, (_, word) => words[word])
    .replaceAll(/[+#]/g, "_");
}

/** A sample as JSON, as it may be sent to Wattkeeper; a whole number keeps all its digits. */
function textOfSample({ tag, ts_us, value, quality, status_code }: SentSample): string {
  const fields = [
    ["tag", JSON.stringify(tag.sensor_tag)],
    ["ts", JSON.stringify(instantText(ts_us))],
    ...typeof value === "string" ? [["value_str", JSON.stringify(value)]] : [],
    ...typeof value === "bigint" ? [["value_int", `"${value}"`]] : [],
    ...typeof value === "number" ? [["value", JSON.stringify(value)]] : [],
    ...quality === undefined ? [] : [["quality", JSON.stringify(quality_names[quality])]],
    ...status_code === undefined ? [] : [["status_code", `${status_code}`]],
  ];
  return `{${fields.map(([name, text]) => `"${name}":${text}`).join(",")}}`;
}
