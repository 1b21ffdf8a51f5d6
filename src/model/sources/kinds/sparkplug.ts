// The kind `sparkplug`: edge nodes that speak Sparkplug B, to which the source is a host.
import * as z from "zod";
import { tag_form } from "../../data/text_form.ts";
import { broker_fields, brokerFlaws } from "../broker.ts";
import { type SourceDefinition, sourceForm } from "../kind.ts";
import { source_limits } from "../limits.ts";
import { tagTemplateFlaws } from "../topic.ts";

const level_form = z.string().min(1).max(source_limits.topic_length).regex(/^[^+#/$][^+#/]*$/, {
  error: "give one level of a topic, without + # /",
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
      "are missing. No other command is ever sent.",
  ),
});

/** A source of this kind, with every default. */
export type SparkplugEntry = z.output<typeof form>;

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
  ],
  devicesOf: () => [],
  tagsOf: () => [],
};
