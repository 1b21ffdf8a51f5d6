// The signal row of GET /platform/v1/signals: its columns, once.
import type { Column } from "../data/column.ts";
import { quality_names } from "./sample.ts";

/** Which view of a sample a row is: as sent, or scaled for the device its tag is mapped to. */
export const lanes = ["raw_signal", "performance"] as const;
export type Lane = typeof lanes[number];

export const resolutions = ["raw", "1m"] as const;
export type Resolution = typeof resolutions[number];

/** What a row can be: also a value at an instant that was asked for. */
export const row_resolutions = [...resolutions, "interpolated"] as const;

export const signal_columns = [
  {
    name: "lane",
    kind: "text",
    nullable: false,
    dictionary: true,
    values: lanes,
    doc: "raw_signal: every tag as sent. performance: tags mapped to a device, scaled.",
  },
  {
    name: "sensor_tag",
    kind: "text",
    nullable: false,
    dictionary: true,
    doc: "Source system's tag.",
  },
  {
    name: "hierarchy_id",
    kind: "text",
    nullable: true,
    dictionary: true,
    doc: "Row of the tag in the project's site hierarchy. Null on raw_signal rows.",
  },
  {
    name: "device_id",
    kind: "text",
    nullable: true,
    dictionary: true,
    doc: "Service device of the tag. Null on raw_signal rows; '' where the tag sits under the " +
      "site root.",
  },
  {
    name: "device_key",
    kind: "text",
    nullable: true,
    dictionary: true,
    doc: "Source system's key for the device. Null when the site sent none for the tag.",
  },
  {
    name: "device_name",
    kind: "text",
    nullable: true,
    dictionary: true,
    doc: "Source system's device name. Null likewise.",
  },
  {
    name: "tag_class",
    kind: "text",
    nullable: true,
    dictionary: true,
    doc: "Class of the tag, for example alarms or measurement. Open set.",
  },
  {
    name: "value_encoding",
    kind: "text",
    nullable: false,
    dictionary: true,
    values: ["float", "integer", "string"],
    doc: "Which column holds the value: value, value_int or value_str.",
  },
  {
    name: "unit",
    kind: "text",
    nullable: true,
    dictionary: true,
    doc: "Unit of value: the source's on raw_signal, the measure's on performance rows.",
  },
  {
    name: "resolution",
    kind: "text",
    nullable: false,
    dictionary: true,
    values: row_resolutions,
    doc:
      "raw: samples at the source's rate. 1m: one value a minute. interpolated: the value at an " +
      "instant, with at or every.",
  },
  {
    name: "ts",
    kind: "instant",
    nullable: false,
    doc: "Sample time at the source (OPC UA SourceTimestamp), UTC. On 1m rows the minute's start.",
  },
  {
    name: "received_at",
    kind: "instant",
    nullable: false,
    doc:
      "When the service stored the row. received_since compares against it. Of an interpolated " +
      "row when the later of its samples was stored, or the time of the answer if it has none.",
  },
  {
    name: "server_ts",
    kind: "instant",
    nullable: true,
    doc: "OPC UA ServerTimestamp. Always null for now.",
  },
  {
    name: "value",
    kind: "float64",
    nullable: true,
    doc: "Float value in unit. Null for other encodings and when quality is bad.",
  },
  {
    name: "raw_value",
    kind: "float64",
    nullable: true,
    doc: "Float value as sent, in the source's unit. Equals value on raw_signal rows.",
  },
  {
    name: "value_int",
    kind: "int64",
    nullable: true,
    doc: "Exact value of an integer tag; booleans are 0 or 1. Null otherwise, and when bad.",
  },
  {
    name: "value_str",
    kind: "text",
    nullable: true,
    doc: "Value of a string tag. Null otherwise, and when bad.",
  },
  {
    name: "quality",
    kind: "text",
    nullable: true,
    dictionary: true,
    values: quality_names,
    doc: "OPC UA quality class; partial: some of the minute's samples were bad. Null when the " +
      "source reports none.",
  },
  {
    name: "status_code",
    kind: "uint32",
    nullable: true,
    doc:
      "OPC UA StatusCode exactly as sent. Null when the source reports none. Of an interpolated " +
      "row Good, UncertainDataSubNormal or BadNoData, unless a sample stands at that instant.",
  },
  {
    name: "status_name",
    kind: "text",
    nullable: true,
    dictionary: true,
    doc: "Symbolic name of status_code. Null without a code or when it is not a known one.",
  },
  {
    name: "carried",
    kind: "bool",
    nullable: false,
    doc:
      "Whether the minute, or the instant, had no sample and repeats an earlier value. False on " +
      "raw rows.",
  },
  {
    name: "good_count",
    kind: "int32",
    nullable: true,
    doc: "Samples of Good quality in the minute. Only on 1m rows.",
  },
  {
    name: "uncertain_count",
    kind: "int32",
    nullable: true,
    doc: "Samples of Uncertain quality in the minute. Only on 1m rows.",
  },
  {
    name: "bad_count",
    kind: "int32",
    nullable: true,
    doc: "Samples of Bad quality in the minute. Only on 1m rows.",
  },
] as const satisfies readonly Column[];
