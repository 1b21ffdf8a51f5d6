// The kind `mqtt`: messages of a broker, whose topics and payloads say tags, values and times.
import * as z from "zod";
import type { Flaw } from "../../../base/fault.ts";
import { name_form, tag_form } from "../../data/text_form.ts";
import { setpoint_form, setpointFlaws } from "../../setpoints/setpoint.ts";
import { broker_fields, brokerFlaws, brokerPort } from "../broker.ts";
import { type JsonPath, parsePath } from "../json_path.ts";
import { type SourceDefinition, sourceForm } from "../kind.ts";
import { source_limits } from "../limits.ts";
import {
  fillTag,
  isFilledBy,
  parseTopic,
  readTopic,
  tagNames,
  tagTemplateFlaws,
  topicNames,
  type TopicTemplate,
} from "../topic.ts";

/** Units of times that are numbers; auto: what their size tells. */
const time_units = ["auto", "s", "ms", "us", "ns"] as const;
export type TimeUnit = typeof time_units[number];

/** Names that a tag may use beside those of its topic. */
const member_name = "key";
const row_name = "name";

const path_form = z.string().max(source_limits.path_length);

const topic = z.strictObject({
  topic: z.string().min(1).max(source_limits.topic_length).describe(
    "The topic, of which whole levels may be named: `plant/{device}/{point}`, and all that is " +
      "left at the end: `plant/{rest...}`. `+` and `#` take levels without a name.",
  ),
  tag: tag_form.describe(
    "Name of the tag; what stands in braces is filled in: names of the topic, {name}, {key}.",
  ),
  value: path_form.optional().describe(
    "Where the value stands in JSON: `a.b[0].c`; `a.*`: each numeric or boolean member of a is " +
      "a value, and {key} its name. Without it, the payload is the value: a number, true or " +
      "false, or a text.",
  ),
  rows: path_form.optional().describe(
    "Where an array stands, each of whose elements has its own value, name and time; `$`: the " +
      "payload itself. The other paths begin at the element.",
  ),
  name: path_form.optional().describe("Where the text stands that {name} is in the tag."),
  time: path_form.optional().describe(
    "Where the time stands: ISO 8601 with an offset, or a number since 1970. Without it, or " +
      "where nothing stands there, a sample has the time when its message arrived.",
  ),
  time_unit: z.enum(time_units).default("auto")
    .describe("Unit of a time that is a number; auto: as large as it is."),
  quality: path_form.optional().describe(
    "Where the quality stands: good, uncertain or bad, true or false, or an OPC UA status code.",
  ),
});

const whole_topic = z.string().min(1).max(source_limits.topic_length)
  .regex(/^[^+#{}$][^+#{}]*$/, { error: "give a topic without + # { }" });

const setpoint = z.strictObject({
  tag: tag_form.describe("The tag whose value the device tells by one of the topics."),
  device: name_form.optional().describe("Key of the site's device that it is of."),
  topic: whole_topic.describe("The topic that values are sent to."),
  payload: z.string().min(1).max(source_limits.command_length).default("{value}").describe(
    "What is sent: {value} stands for the number, {boolean} for true (1) or false (0).",
  ),
  retain: z.boolean().default(false).describe(
    "Whether the broker keeps it, and gives it to a device that connects later.",
  ),
  setpoint: setpoint_form,
});

const form = sourceForm("mqtt", {
  ...broker_fields,
  qos: z.union([z.literal(0), z.literal(1)]).default(1).describe(
    "1: a message is acknowledged once its samples are on disk. 0: none is.",
  ),
  session_s: z.int().min(0).max(source_limits.session_most_s).default(86_400).describe(
    "How long the broker is to keep messages while the source is away (MQTT 5; with 3.1.1 the " +
      "broker decides).",
  ),
  retained: z.enum(["timed", "all", "none"]).default("timed").describe(
    "Which retained messages are taken: those that tell their own time, all, or none.",
  ),
  status_topic: whole_topic.optional().describe(
    "A topic that is told, retained, whether the source is connected: online or offline.",
  ),
  topics: z.array(topic).min(1).max(source_limits.topics),
  setpoints: z.array(setpoint).max(source_limits.topics).default([])
    .describe("Tags that people may send values to."),
});

/** A source of this kind, with every default. */
export type MqttEntry = z.output<typeof form>;
type MqttTopic = MqttEntry["topics"][number];

/** What is read from the messages of a topic. */
export type MessageMap = Pick<MqttTopic, "tag" | "time_unit"> & {
  readonly topic: TopicTemplate;
  readonly value?: JsonPath;
  readonly rows?: JsonPath;
  readonly name?: JsonPath;
  readonly time?: JsonPath;
  readonly quality?: JsonPath;
};

const path_names = ["value", "rows", "name", "time", "quality"] as const;

/** Reads the templates and paths of a topic; every flaw with its place in it. */
function readMap(entry: MqttTopic): { readonly map: MessageMap; readonly flaws: readonly Flaw[] } {
  const flaws: Flaw[] = [];
  const read = <T extends object>(path: string, found: T | string): T | undefined => {
    if (typeof found !== "string") return found;
    flaws.push({ path, message: found });
  };
  const topic = read("topic", parseTopic(entry.topic)) ?? { filter: "", levels: [] };
  const paths = Object.fromEntries(path_names.flatMap((name) => {
    const text = entry[name];
    const path = text === undefined ? undefined : read(name, parsePath(text));
    return path === undefined ? [] : [[name, path]];
  }));
  const { tag, time_unit } = entry;
  const map: MessageMap = { topic, tag, time_unit, ...paths };
  return { map, flaws: flaws.length > 0 ? flaws : mapFlaws(map) };
}

function mapFlaws({ topic, tag, value, rows, name, time, quality }: MessageMap): Flaw[] {
  const flaws: Flaw[] = [];
  const [first] = Object.entries({ rows, name, time, quality }).filter(([, path]) => path);
  if (value === undefined && first !== undefined) {
    const message = `is missing: with ${first[0]} the payload is JSON, so say where its value ` +
      "stands, as value, or value.* for each member";
    flaws.push({ path: "value", message });
  }
  for (const [path, found] of Object.entries({ rows, name, time, quality })) {
    if (found?.is_each) flaws.push({ path, message: "can't be each member: * is for value" });
  }
  const needed = topicNames(topic);
  const own = [...(name ? [row_name] : []), ...(value?.is_each ? [member_name] : [])];
  const shadowed = needed.filter((it) => own.includes(it));
  for (const it of shadowed) {
    flaws.push({ path: "topic", message: `names a level {${it}}, which is a name of the payload` });
  }
  return [
    ...flaws,
    ...tagTemplateFlaws(tag, {
      path: "tag",
      known: [...needed, ...own],
      needed: [...needed, ...own],
    }),
  ];
}

/** What is read from the messages of each topic of a source that was checked. */
export function messageMaps({ topics }: MqttEntry): readonly MessageMap[] {
  return topics.map((entry) => readMap(entry).map);
}

/** What is sent for a value. */
export function commandPayload(payload: string, value: number): string {
  return payload.replaceAll("{value}", `${value}`).replaceAll("{boolean}", `${value !== 0}`);
}

/** What is wrong with setpoints: beside their limits, whether the device's answer can be heard. */
function commandFlaws({ topics, setpoints }: MqttEntry): Flaw[] {
  const maps = topics.map((it) => readMap(it).map);
  return setpoints.flatMap(({ tag, topic, payload, setpoint }, i) => {
    const at = `setpoints[${i}]`;
    const flaws = setpointFlaws(setpoint, `${at}.setpoint`);
    const add = (path: string, message: string) => flaws.push({ path: `${at}.${path}`, message });
    const first = setpoints.findIndex((it) => it.tag === tag);
    if (first !== i) add("tag", `is the tag of setpoints[${first}]`);
    if (!maps.some((map) => isFilledBy(map.tag, tag))) {
      add("tag", "is brought by none of the topics: say by which topic the device tells its value");
    }
    const own = maps.findIndex((map) => {
      const words = readTopic(map.topic, topic);
      return words !== undefined && isFilledBy(fillTag(map.tag, words), tag);
    });
    if (own >= 0) add("topic", `is read by topics[${own}]: a command would confirm itself`);
    if (!/\{(value|boolean)\}/.test(payload)) add("payload", "has neither {value} nor {boolean}");
    const { min, max, step } = setpoint;
    if (payload.includes("{boolean}") && (min !== 0 || max !== 1 || step !== 1)) {
      add("payload", "has {boolean}: that is for min = 0, max = 1, step = 1");
    }
    return flaws;
  });
}

export const mqtt: SourceDefinition<typeof form> = {
  form,
  documentation: {
    reads: "Messages of an MQTT broker (3.1.1 or 5): plain values, JSON, batches.",
    example: {
      key: "broker",
      kind: "mqtt",
      host: "broker.example.com",
      tls: true,
      user: "plant-1",
      password_file: "broker.password",
      topics: [
        { topic: "plant/{device}/{point}", tag: "{device}.{point}" },
        { topic: "meter/{device}", tag: "{device}.{key}", value: "values.*", time: "ts" },
      ],
    },
  },
  flawsOf: (entry) => [
    ...brokerFlaws(entry),
    ...entry.topics.flatMap((topic, i) =>
      readMap(topic).flaws.map(({ path, message }) => ({ path: `topics[${i}].${path}`, message }))
    ),
    ...commandFlaws(entry),
  ],
  devicesOf: ({ setpoints }) =>
    setpoints.flatMap(({ device }, i) =>
      device === undefined ? [] : [{ name: device, path: `setpoints[${i}].device` }]
    ),
  tagsOf: ({ topics }) =>
    topics.flatMap(({ tag }, i) =>
      tagNames(tag).length > 0 ? [] : [{ name: tag, path: `topics[${i}].tag` }]
    ),
  setpointsOf: (entry) =>
    entry.setpoints.map(({ tag, device, setpoint }, i) => (
      {
        ...{ tag, limits: setpoint, path: `setpoints[${i}]` },
        device: device ?? `${entry.host}:${brokerPort(entry)}`,
      }
    )),
};
