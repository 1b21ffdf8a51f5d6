// The kind `opcua`: variables of an OPC UA server, which sends what changes and keeps history.
import * as z from "zod";
import type { Flaw } from "../../../base/fault.ts";
import { name_form, tag_form, textUpTo } from "../../data/text_form.ts";
import { setpoint_form, setpointFlaws } from "../../setpoints/setpoint.ts";
import { secret_form, type SourceDefinition, sourceForm } from "../kind.ts";
import { source_limits } from "../limits.ts";

export const security_modes = ["none", "sign", "sign_and_encrypt"] as const;
export type SecurityMode = typeof security_modes[number];

export const security_policies = [
  "Basic256Sha256",
  "Aes128_Sha256_RsaOaep",
  "Aes256_Sha256_RsaPss",
] as const;

const interval = z.int().min(source_limits.interval_least_ms).max(source_limits.interval_most_ms);

const node_form = z.string().max(source_limits.node_length)
  .regex(/^(ns=\d+;|nsu=[^;]+;)?(i=\d+|[sgb]=.+)$/, {
    error: "give a node id, such as ns=2;s=INV1.P, ns=2;i=1001 or nsu=http://maker.com;s=INV1.P",
  });

const point = z.strictObject({
  tag: tag_form.describe("Name of its tag; {device} in it stands for the key of its device."),
  node: node_form.describe(
    "Its node id. nsu= names the namespace by its URI, which stays when its number changes.",
  ),
  device: name_form.optional().describe("Key of the site's device that it belongs to."),
  element: z.int().min(0).max(source_limits.array_elements).optional()
    .describe("Which element of an array, from 0."),
  sampling_ms: interval.optional()
    .describe("How often the server looks for a change of it; by default the source's."),
  deadband: z.number().positive().optional()
    .describe("A change that is smaller is not sent, in the unit of the raw value."),
  scale: z.number().default(1).describe("The sample's value is raw * scale + offset."),
  offset: z.number().default(0).describe("See scale."),
  setpoint: setpoint_form.optional(),
});

const alarms = z.strictObject({
  node: node_form.default("i=2253")
    .describe("Node that sends the events of conditions; by default the whole server."),
  severity_from: z.int().min(1).max(1000).default(1)
    .describe("A condition that is less severe, of 1 to 1000, raises no alarm."),
  alarm_class: name_form.optional().describe("Class of the alarms, such as fault."),
  devices: z.array(z.strictObject({
    node: node_form.describe("Node that a condition has as its source, or as its input."),
    device: name_form.describe("Key of the site's device that it stands for."),
  })).max(source_limits.alarm_devices).default([]).describe(
    "Devices of conditions; without it, the one whose key is the name of the source node.",
  ),
});

const form = sourceForm("opcua", {
  endpoint: z.string().max(source_limits.endpoint_length)
    .regex(/^opc\.tcp:\/\/([A-Za-z0-9._-]+|\[[0-9a-fA-F:]+\])(:\d{1,5})?(\/[^\s?#]*)?$/, {
      error: "give an address such as opc.tcp://10.0.0.20:4840/path",
    }).describe("Address of the server: opc.tcp://HOST:PORT/PATH; without a port 4840."),
  security: z.enum(security_modes).default("sign_and_encrypt")
    .describe("Whether messages are signed, and encrypted. none: anybody on the way reads them."),
  policy: z.enum(security_policies).default("Basic256Sha256")
    .describe("How they are; not used with security none."),
  user: textUpTo(source_limits.user_length).optional().describe("Name that it signs in with."),
  password_file: secret_form.optional().describe("File with the password of user."),
  cert_file: secret_form.optional().describe(
    "Or: file with the certificate (PEM) of a user. The program's own is made by itself.",
  ),
  key_file: secret_form.optional().describe("File with the key (PEM) of that certificate."),
  publish_ms: interval.default(1_000)
    .describe("How often the server sends what changed, in milliseconds."),
  sampling_ms: interval.default(1_000)
    .describe("How often the server looks for a change, in milliseconds."),
  queue: z.int().min(1).max(source_limits.queue_most).default(100)
    .describe("Changes of a point that the server keeps until it sends them."),
  history_days: z.int().min(0).max(source_limits.history_most_days).default(31).describe(
    "How far back values are read from the server's history after a gap; 0: they are not.",
  ),
  timeout_ms: z.int().min(50).max(source_limits.timeout_most_ms).default(10_000)
    .describe("How long an answer is waited for."),
  points: z.array(point).max(source_limits.server_points).default([]),
  alarms: alarms.optional().describe("The server's conditions become alarms."),
});

/** A source of this kind, with every default. */
export type OpcuaEntry = z.output<typeof form>;
export type OpcuaPoint = OpcuaEntry["points"][number];

/** The name of a point's tag. */
export function pointTag({ tag, device }: OpcuaPoint): string {
  return device === undefined ? tag : tag.replaceAll("{device}", device);
}

export const opcua: SourceDefinition<typeof form> = {
  form,
  documentation: {
    reads:
      "Variables of an OPC UA server: what changes, after a gap its history; its conditions as " +
      "alarms.",
    example: {
      key: "scada",
      kind: "opcua",
      endpoint: "opc.tcp://10.0.0.20:4840",
      user: "wattkeeper",
      password_file: "scada.password",
      points: [
        { tag: "{device}.p_kw", node: "ns=2;s=INV1.ActivePower", device: "INV-1", deadband: 0.1 },
        { tag: "{device}.state", node: "ns=2;s=INV1.State", device: "INV-1" },
      ],
    },
  },
  flawsOf: (entry) => [
    ...signInFlaws(entry),
    ...entry.points.flatMap(pointFlaws),
    ...(entry.points.length > 0 || entry.alarms ? [] : [no_use]),
  ],
  devicesOf: ({ points, alarms }) => [
    ...points.flatMap(({ device }, i) =>
      device === undefined ? [] : [{ name: device, path: `points[${i}].device` }]
    ),
    ...(alarms?.devices ?? []).map(({ device }, i) => (
      { name: device, path: `alarms.devices[${i}].device` }
    )),
  ],
  tagsOf: ({ points }) =>
    points.map((point, i) => ({ name: pointTag(point), path: `points[${i}].tag` })),
  setpointsOf: ({ points, endpoint }) =>
    points.flatMap((point, i) =>
      point.setpoint === undefined ? [] : [{
        ...{ tag: pointTag(point), limits: point.setpoint, path: `points[${i}]` },
        device: point.device ?? endpoint,
      }]
    ),
};

const no_use: Flaw = { path: "points", message: "is missing: give points, alarms or both" };

function signInFlaws({ user, password_file, cert_file, key_file }: OpcuaEntry): Flaw[] {
  const flaws: Flaw[] = [];
  if ((user === undefined) !== (password_file === undefined)) {
    const path = user === undefined ? "user" : "password_file";
    flaws.push({ path, message: "is missing: a user and the password belong together" });
  }
  if ((cert_file === undefined) !== (key_file === undefined)) {
    const path = cert_file === undefined ? "cert_file" : "key_file";
    flaws.push({ path, message: "is missing: a certificate and its key belong together" });
  }
  if (user !== undefined && cert_file !== undefined) {
    flaws.push({ path: "cert_file", message: "give either a password or a user's certificate" });
  }
  return flaws;
}

function pointFlaws({ tag, device, scale, setpoint, element }: OpcuaPoint, i: number): Flaw[] {
  const flaws: Flaw[] = setpointFlaws(setpoint, `points[${i}].setpoint`);
  if (setpoint !== undefined && element !== undefined) {
    const message = "can't be beside element: a part of an array is not written";
    flaws.push({ path: `points[${i}].setpoint`, message });
  }
  if (scale === 0) {
    flaws.push({ path: `points[${i}].scale`, message: "give a number other than 0" });
  }
  if (tag.includes("{device}") && device === undefined) {
    flaws.push({ path: `points[${i}].device`, message: "is missing: {device} is in the tag" });
  }
  return flaws;
}
