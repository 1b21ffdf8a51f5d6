// A connection to an MQTT broker as a source declares it, and the names of its secrets' files.
import * as z from "zod";
import type { Flaw } from "../../base/fault.ts";
import { textUpTo } from "../data/text_form.ts";
import { host_form, port_form, secret_form } from "./kind.ts";
import { source_limits } from "./limits.ts";

export const mqtt_versions = ["3.1.1", "5"] as const;
export type MqttVersion = typeof mqtt_versions[number];

export const broker_fields = {
  host: host_form.describe("Address of the broker."),
  port: port_form.optional().describe("Port; by default 1883, or 8883 with TLS."),
  tls: z.boolean().default(false).describe("Whether the connection is encrypted (mqtts)."),
  version: z.enum(mqtt_versions).default("5").describe("Version of MQTT."),
  client_id: textUpTo(source_limits.client_id_length).optional().describe(
    "Its name at the broker, by default `wattkeeper-KEY`. No other client may have it.",
  ),
  user: textUpTo(source_limits.user_length).optional()
    .describe("Name that it signs in with."),
  password_file: secret_form.optional().describe("File with the password."),
  ca_file: secret_form.optional().describe(
    "File with the certificate (PEM) of the authority that signed the broker's, where that is " +
      "none of the public ones.",
  ),
  cert_file: secret_form.optional().describe("File with its own certificate (PEM)."),
  key_file: secret_form.optional().describe("File with the key (PEM) of its certificate."),
  keep_alive_s: z.int().min(5).max(source_limits.keep_alive_most_s).default(30)
    .describe("Seconds without a message after which broker and source ask for each other."),
  timeout_ms: z.int().min(50).max(source_limits.timeout_most_ms).default(10_000)
    .describe("How long an answer of the broker is waited for."),
} as const;

/** How a broker is reached. */
export type BrokerEntry = z.output<z.ZodObject<typeof broker_fields>> & { readonly key: string };

/** Where a broker listens. */
export function brokerPort({ port, tls }: Pick<BrokerEntry, "port" | "tls">): number {
  return port ?? (tls ? 8883 : 1883);
}

/** The name of a source at its broker. */
export function clientId({ client_id, key }: Pick<BrokerEntry, "client_id" | "key">): string {
  return client_id ?? `wattkeeper-${key}`;
}

/** What is wrong with how a broker is to be reached. */
export function brokerFlaws(entry: BrokerEntry): Flaw[] {
  const { tls, user, password_file, cert_file, key_file } = entry;
  const flaws: Flaw[] = [];
  const files = (["ca_file", "cert_file", "key_file"] as const).filter((it) => entry[it]);
  if (!tls) { for (const path of files) flaws.push({ path, message: "needs tls = true" }); }
  if (password_file !== undefined && user === undefined) {
    flaws.push({ path: "user", message: "is missing: whose password it is" });
  }
  if ((cert_file === undefined) !== (key_file === undefined)) {
    const path = cert_file === undefined ? "cert_file" : "key_file";
    flaws.push({ path, message: "is missing: a certificate and its key belong together" });
  }
  return flaws;
}
