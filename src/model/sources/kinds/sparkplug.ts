// The kind `sparkplug`: edge nodes that speak Sparkplug B, to which the source is a host.
import * as z from "zod";
import type { Flaw } from "../../../base/fault.ts";
import { tag_form } from "../../data/text_form.ts";
import { setpoint_form, setpointFlaws } from "../../setpoints/setpoint.ts";
import { broker_fields, brokerFlaws } from "../broker.ts";
import { type SourceDefinition, sourceForm } from "../kind.ts";
import { source_limits } from "../limits.ts";
import { isControl, metricWords } from "../sparkplug.ts";
import { fillTag, tagTemplateFlaws } from "../topic.ts";

const level_form = z.string().min(1).max(source_limits.topic_length).regex(/^[^+#/$][^+#/]*$/, {
  error: "give one level of a topic, without + # /",
});

const setpoint = z.strictObject({
  group: level_form.describe("The group of its node."),
  node: level_form.describe("Its edge node."),
  device: level_form.optional().describe("Its device; by default it is the node's own."),
  metric: z.string().min(1).max(source_limits.topic_length)
    .describe("The metric; its type is the one that its birth tells."),
  setpoint: setpoint_form,
});

const form = sourceForm("sparkplug", {
  ...broker_fields,
  host_id: level_form.default("wattkeeper").describe(
    "Its name as a host: `spBv1.0/STATE/HOST_ID` says whether it is there. Nodes that know it as " +
      "their primary host keep their values while it is away.",
  ),
  groups: z.array(level_form).max(source_limits.topics).default([])
    .describe("Groups whose nodes are read; all by default."),
  tag: tag_form.default("{group}.{node}.{device}.{metric}")
    .describe("Name of the tag of a device's metric, by {group}, {node}, {device} and {metric}."),
  node_tag: tag_form.default("{group}.{node}.{metric}")
    .describe("Name of the tag of a node's own metric, by {group}, {node} and {metric}."),
  rebirth: z.boolean().default(true).describe(
    "Whether nodes are asked to tell their metrics again (Node Control/Rebirth) where messages " +
      "are missing. No other command is sent but to setpoints.",
  ),
  setpoints: z.array(setpoint).max(source_limits.topics).default([])
    .describe("Metrics that people may send values to, by NCMD and DCMD."),
});

/** A source of this kind, with every default. */
export type SparkplugEntry = z.output<typeof form>;
export type SparkplugSetpoint = SparkplugEntry["setpoints"][number];

/** The name of the tag of a setpoint's metric. */
export function setpointTag(
  { tag, node_tag }: Pick<SparkplugEntry, "tag" | "node_tag">,
  { metric, ...of }: SparkplugSetpoint,
): string {
  return fillTag(of.device === undefined ? node_tag : tag, metricWords(of, metric));
}

function setpointsFlaws(entry: SparkplugEntry): Flaw[] {
  const { groups, setpoints } = entry;
  const tags = setpoints.map((it) => setpointTag(entry, it));
  return setpoints.flatMap(({ group, metric, setpoint }, i) => {
    const at = `setpoints[${i}]`;
    const flaws = setpointFlaws(setpoint, `${at}.setpoint`);
    const add = (path: string, message: string) => flaws.push({ path: `${at}.${path}`, message });
    const first = tags.indexOf(tags[i]);
    if (first !== i) add("metric", `has the tag ${tags[i]}, as setpoints[${first}]`);
    if (groups.length > 0 && !groups.includes(group)) add("group", "is none of groups");
    if (isControl(metric)) add("metric", "controls the node, and tells no value that confirms it");
    return flaws;
  });
}

export const sparkplug: SourceDefinition<typeof form> = {
  form,
  documentation: {
    reads: "Edge nodes by Sparkplug B over an MQTT broker, as a host.",
    example: {
      key: "edge",
      kind: "sparkplug",
      host: "broker.example.com",
      groups: ["plant-1"],
      tag: "{device}.{metric}",
      node_tag: "{node}.{metric}",
    },
  },
  flawsOf: (entry) => [
    ...brokerFlaws(entry),
    ...tagTemplateFlaws(entry.tag, {
      path: "tag",
      known: ["group", "node", "device", "metric"],
      needed: ["metric"],
    }),
    ...tagTemplateFlaws(entry.node_tag, {
      path: "node_tag",
      known: ["group", "node", "metric"],
      needed: ["metric"],
    }),
    ...setpointsFlaws(entry),
  ],
  devicesOf: () => [],
  tagsOf: () => [],
  setpointsOf: (entry) =>
    entry.setpoints.map((it, i) => (
      {
        ...{ tag: setpointTag(entry, it), limits: it.setpoint, path: `setpoints[${i}]` },
        device: [it.group, it.node, it.device].filter((word) => word !== undefined).join("/"),
      }
    )),
};
