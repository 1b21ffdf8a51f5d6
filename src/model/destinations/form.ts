// A destination as a request writes it: its form by kind, what is secret in it, what is wrong.
import * as z from "zod";
import { meant } from "../../base/did_you_mean.ts";
import { type Fault, type Flaw, refusal } from "../../base/fault.ts";
import { formFlaws, keysIn } from "../data/form_flaw.ts";
import { key_form, tag_form, textUpTo } from "../data/text_form.ts";
import { plain_label } from "../samples/labels.ts";
import { broker_fields, brokerPort } from "../sources/broker.ts";
import { destination_limits } from "./limits.ts";

/** Kinds of destinations, in the order of the reference. */
export const destination_kinds = [
  ...["parquet_folder", "parquet_s3", "remote_write", "mqtt", "sparkplug"] as const,
] as const;
export type DestinationKind = typeof destination_kinds[number];

const secret_form = textUpTo(destination_limits.secret_length).optional();

/** Fields that are sealed, and never answered. */
const secret_names = ["secret_access_key", "password", "token"] as const;
export type SecretName = typeof secret_names[number];

/** Secrets by name, as far as there are any. */
export type Secrets = Readonly<Partial<Record<SecretName, string>>>;

const head = {
  key: key_form.describe("Its key, unique in its project."),
  enabled: z.boolean().default(true).describe(
    "Whether anything is sent. What is stored meanwhile waits.",
  ),
  tags: z.array(tag_form).min(1).max(destination_limits.tag_patterns).default(["*"])
    .describe("Which tags are sent: names, in which `*` stands for any text."),
};

const history = (usual: boolean) =>
  z.boolean().default(usual).describe(
    "Whether what was stored before the destination was made is sent, too.",
  );

const file_fields = {
  period: z.enum(["hour", "day"]).default("hour").describe(
    "How much goes into a file: what was stored in an hour, or in a day (UTC).",
  ),
  history: history(true),
};

/** Folders, each a word; none of them is hidden, or leads out. */
const path_form = z.string().max(500).regex(/^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)*$/, {
  error: "give names of letters, digits, `.`, `_` and `-`, with / between them and none around",
});

const url_form = z.string().max(2_000).refine(
  (text) => {
    const url = URL.parse(text);
    return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password &&
      !url.hash;
  },
  { error: "give an address such as https://host.example, without a user or a password" },
);

const { host, port, tls, version, client_id, user, keep_alive_s, timeout_ms } = broker_fields;

const own_broker_fields = {
  ...{ host, port, tls, version, client_id, user, keep_alive_s, timeout_ms },
  password: secret_form.describe("Its password. It is sealed, and never answered."),
  ca: z.string().max(10_000).regex(/^-----BEGIN CERTIFICATE-----/, {
    error: "give a certificate in PEM: -----BEGIN CERTIFICATE-----",
  }).optional().describe(
    "Certificate (PEM) of the authority that signed the broker's, where that is none of the " +
      "public ones.",
  ),
  history: history(false),
};

const level_form = z.string().min(1).max(200).regex(/^[^+#/$][^+#/]*$/, {
  error: "give one level of a topic, without + # /",
});

const forms = {
  parquet_folder: z.strictObject({
    ...head,
    kind: z.literal("parquet_folder"),
    folder: path_form.describe("Folder in that of the setting destination_dir."),
    ...file_fields,
  }),
  parquet_s3: z.strictObject({
    ...head,
    kind: z.literal("parquet_s3"),
    endpoint: url_form.describe("Address of the store, such as https://s3.eu-central-1.example."),
    bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, {
      error: "give a bucket's name: 3 to 63 small letters, digits, `.` and `-`",
    }).describe("The bucket; it has to be there."),
    prefix: path_form.optional().describe("Folder in the bucket; none by default."),
    region: z.string().regex(/^[a-z0-9-]{1,50}$/).default("us-east-1")
      .describe("Region that requests are signed for."),
    style: z.enum(["path", "host"]).default("path").describe(
      "path: endpoint/bucket/name; host: bucket.endpoint/name, as AWS has it.",
    ),
    access_key_id: z.string().regex(/^[\w.+/=-]{1,128}$/).describe("Name of the key."),
    secret_access_key: secret_form.describe("The key itself. It is sealed, and never answered."),
    ...file_fields,
  }),
  remote_write: z.strictObject({
    ...head,
    kind: z.literal("remote_write"),
    url: url_form.describe(
      "Address that is written to, such as http://10.0.0.5:9090/api/v1/write.",
    ),
    user: textUpTo(100).optional().describe("Name to sign in with (HTTP Basic)."),
    password: secret_form.describe("Its password. It is sealed, and never answered."),
    token: secret_form.describe("Or a token (Bearer). It is sealed, and never answered."),
    tenant: z.string().regex(/^[\w.-]{1,100}$/).optional()
      .describe("X-Scope-OrgID, where the receiver has tenants."),
    labels: z.record(z.string().max(100).regex(plain_label), z.string().min(1).max(200))
      .refine((labels) => Object.keys(labels).length <= destination_limits.labels, {
        error: `give at most ${destination_limits.labels} labels`,
      })
      .default({}).describe("Labels that every series gets; `project` is there already."),
    takes_late: z.boolean().default(false).describe(
      "Whether the receiver takes samples in any order of time (VictoriaMetrics; Prometheus with " +
        "an out_of_order_time_window). What came last is sent first then; else the oldest is.",
    ),
    history: history(false),
  }),
  mqtt: z.strictObject({
    ...head,
    kind: z.literal("mqtt"),
    ...own_broker_fields,
    topic: z.string().min(1).max(500).regex(/^[^+#$][^+#]*$/, {
      error: "give a topic without + and #",
    }).default("{project}/{tag}")
      .describe("Topic of a sample, by {project}, {device} (its key) and {tag}."),
    retain: z.boolean().default(false)
      .describe("Whether the broker keeps the last sample of each topic for who comes later."),
  }),
  sparkplug: z.strictObject({
    ...head,
    kind: z.literal("sparkplug"),
    ...own_broker_fields,
    group: level_form.describe("Group of the edge node."),
    node: level_form.describe("Its name in the group; no other client may have it."),
    primary_host: level_form.optional().describe(
      "Host without which nothing is sent: what is stored waits until its STATE says that it is " +
        "there.",
    ),
  }),
} as const;

type Forms = typeof forms;

/** A destination of a kind, with every default. */
export type DestinationOf<K extends DestinationKind> = z.output<Forms[K]>;
export type DestinationEntry = DestinationOf<DestinationKind>;

/** The form of a destination. */
export const destination_form = z.discriminatedUnion(
  "kind",
  destination_kinds.map((kind) => forms[kind]) as unknown as readonly [Forms[DestinationKind]],
  { error: ({ input }) => kindFlaw(input) },
);

function kindFlaw(input: unknown): string {
  const { kind } = (input ?? {}) as { readonly kind?: unknown };
  const known = destination_kinds.join(", ");
  if (kind === undefined) return `is missing: one of ${known}`;
  const begun = destination_kinds.filter((it) => it.startsWith(`${kind}_`));
  const near = begun.length > 0
    ? `; meant ${begun.join(" or ")}?`
    : meant(String(kind), destination_kinds);
  return `give one of ${known}${near}`;
}

/** What a request says: the destination without its secrets, and those. */
export type ReadDestination = { readonly entry: DestinationEntry; readonly secrets: Secrets };

/**
 * The destination of a key in plain data, which may leave the key out. Throws a `Fault` (invalid)
 * with every flaw.
 */
export function parseDestinationBody(data: unknown, key: string): ReadDestination {
  const table = typeof data === "object" && data !== null && !Array.isArray(data);
  const parsed = destination_form.safeParse(table ? { key, ...data } : data, { reportInput: true });
  if (!parsed.success) {
    const keys = keysIn(destination_form);
    throw destinationRefusal(parsed.error.issues.flatMap((it) => formFlaws(it, keys)));
  }
  if (parsed.data.key !== key) {
    throw destinationRefusal([{ path: "key", message: `is not the key in the path, ${key}` }]);
  }
  const all = Object.entries(parsed.data);
  const isSecret = ([name]: [string, unknown]) => secret_names.some((it) => it === name);
  return {
    entry: Object.fromEntries(all.filter((it) => !isSecret(it))) as DestinationEntry,
    secrets: Object.fromEntries(all.filter(isSecret)) as Secrets,
  };
}

/** The refusal of a destination for its flaws. */
export function destinationRefusal(flaws: readonly Flaw[]): Fault {
  const count = flaws.length === 1 ? "1 flaw" : `${flaws.length} flaws`;
  return refusal(`the destination has ${count}`, flaws);
}

/** The entry of kept text. */
export function parseDestination(text: string): DestinationEntry {
  return destination_form.parse(JSON.parse(text));
}

/** Where it leads, in words; secrets that were left out stay as long as this does. */
export function targetText(entry: DestinationEntry): string {
  switch (entry.kind) {
    case "parquet_folder":
      return entry.folder;
    case "remote_write":
      return entry.url;
    case "mqtt":
      return `${brokerText(entry)} ${entry.topic}`;
    case "sparkplug":
      return `${brokerText(entry)} ${entry.group}/${entry.node}`;
    case "parquet_s3":
      return [entry.endpoint.replace(/\/+$/, ""), entry.bucket, entry.prefix ?? []].flat()
        .join("/");
  }
}

function brokerText({ tls, host, port }: DestinationOf<"mqtt" | "sparkplug">): string {
  return `${tls ? "mqtts" : "mqtt"}://${host}:${brokerPort({ tls, port })}`;
}

/** Says whether a tag of that name is sent. */
export function tagFilter({ tags }: Pick<DestinationEntry, "tags">): (name: string) => boolean {
  if (tags.includes("*")) return () => true;
  const words = tags.map((tag) => tag.split("*").map((part) => RegExp.escape(part)).join(".*"));
  const pattern = new RegExp(`^(${words.join("|")})$`, "s");
  return (name) => pattern.test(name);
}
