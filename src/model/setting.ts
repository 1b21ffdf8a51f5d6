// The one table of settings, and how flags, environment, file and defaults make their values.
import { Fault, type Flaw } from "../base/fault.ts";
import { setting_limits } from "./limits.ts";
import { meant } from "../base/did_you_mean.ts";
import { fleet_settings } from "./fleet/settings.ts";
import { retention_settings } from "./retention/settings.ts";
import { upstream_limits } from "./upstream/limits.ts";
import { setpoint_limits } from "./setpoints/limits.ts";
import {
  metricsPlace,
  originsOf,
  periodOf,
  refusalBy,
  requireHost,
  requireIssuer,
  requireOrigin,
  strangeWord,
  wordsIn,
} from "./setting_form.ts";
import { parseNetworks } from "./webhooks/address.ts";

/** One setting; flag `--data-dir`, variable `WATTKEEPER_DATA_DIR` and TOML key are its name's. */
export type Setting = {
  readonly doc: string;
  /** Absent: computed from the machine at start. */
  readonly default?: string | number;
  /** A whole number within these bounds; without them the setting is text. */
  readonly bounds?: readonly [minimum: number, maximum: number];
  /** The only texts allowed. */
  readonly values?: readonly string[];
  /** The only words of a list with commas between them. */
  readonly words?: readonly string[];
  /** Never shown. */
  readonly is_secret?: true;
  /** Throws a `Fault` for a text that does not have the form. */
  readonly parse?: (text: string) => unknown;
};

/** Endpoints that a site can switch off, each with all that belongs to it. */
const planned_nouns = ["availability", "issues", "work_orders"] as const;
export type PlannedNoun = typeof planned_nouns[number];

/** Every setting by name. */
export const settings_table = {
  data_dir: {
    doc: "directory for all data of the service",
    default: "wattkeeper-data",
  },
  library_dir: {
    doc:
      "directory that the executable unpacks the database's library into; none: beside itself, " +
      "or, where it may not write there, into the data directory",
    default: "none",
  },
  host: {
    doc: "address to listen on; 0.0.0.0 for every interface",
    default: "127.0.0.1",
    parse: requireHost,
  },
  port: { doc: "port to listen on; 0 for any free one", default: 8480, bounds: [0, 65_535] },
  public_url: {
    doc: "address at which browsers reach the service, such as https://plant.example, where that " +
      "is not host and port; none: what the browser asked for. With https, cookies are secure",
    default: "none",
    parse: requireOrigin,
  },
  tls_cert: {
    doc: "none, or a file (PEM) with the certificate and its chain: the service then speaks " +
      "https. A file that changes is read again",
    default: "none",
  },
  tls_key: { doc: "none, or the file (PEM) with the certificate's key", default: "none" },
  trusted_proxies: {
    doc: "none, or addresses and networks (CIDR) of proxies whose X-Forwarded-For is believed, " +
      "separated by commas",
    default: "none",
    parse: parseNetworks,
  },
  cors_origins: {
    doc:
      "none, or the origins of other sites whose pages may call the service with a token, such " +
      "as https://grafana.example, separated by commas",
    default: "none",
    parse: originsOf,
  },
  oidc_issuer: {
    doc: "none, or the issuer's address of a provider of OpenID Connect that signs users in",
    default: "none",
    parse: requireIssuer,
  },
  oidc_client_id: { doc: "identifier of the service at this provider", default: "wattkeeper" },
  oidc_client_secret: {
    doc: "secret of the service at this provider; none: it has none. Better not as a flag",
    default: "none",
    is_secret: true,
  },
  oidc_name: { doc: "name of this provider for users", default: "OpenID Connect" },
  log_level: {
    doc: "lowest severity that is logged",
    default: "info",
    values: ["debug", "info", "warning", "error"],
  },
  log_format: {
    doc: "json: one JSON object per line; pretty: text for people",
    default: "json",
    values: ["json", "pretty"],
  },
  metrics: {
    doc: "who may read /metrics. open: everybody who reaches the service; token: an " +
      "administrator's token; an address and port such as 127.0.0.1:9480: everybody there, and " +
      "nobody at the service's own address",
    default: "open",
    parse: metricsPlace,
  },
  memory_mb: {
    doc: "memory of the database, MiB; by default a third of the machine's or container's memory " +
      "minus 400",
    bounds: [setting_limits.memory_mb_min, setting_limits.memory_mb_max],
  },
  threads: { doc: "threads of the database; by default one per core", bounds: [1, 256] },
  checkpoint_mb: {
    doc: "size of the write-ahead log, MiB, at which it is written into the database file",
    default: setting_limits.checkpoint_wal_bytes / 1024 / 1024,
    bounds: [1, 1024],
  },
  backup_dir: {
    doc: "directory for backups that the service makes, best on another disk; none: the folder " +
      "backups of the data directory",
    default: "none",
  },
  backup_every: {
    doc: "how often the service makes a backup, such as 6h or 1d; none: only when asked",
    default: "none",
    parse: periodOf,
  },
  backup_keep: {
    doc: "how many of the backups made by backup_every are kept, the newest",
    default: 7,
    bounds: [1, 1_000],
  },
  key_file: {
    doc: "file with the key that seals secrets in the database, best where no backup reaches; it " +
      "is made at the first start. none: wattkeeper.key in the data directory",
    default: "none",
  },
  upgrade: {
    doc: "what happens to an older version's database: backup: it is backed up, then migrated; " +
      "direct: it is migrated; refuse: the program ends",
    default: "backup",
    values: ["backup", "direct", "refuse"],
  },
  visible_after_ms: {
    doc: "age at which a stored row becomes visible with received_since",
    default: setting_limits.visible_after_us / 1000,
    bounds: [0, 3_600_000],
  },
  planned_off: {
    doc: "none, or endpoints that answer 501, separated by commas: " + planned_nouns.join(", "),
    default: "none",
    words: ["none", ...planned_nouns],
  },
  setpoints: { doc: "whether values go to setpoints", default: "off", values: ["on", "off"] },
  setpoint_keep_days: {
    doc: "days that the log of setpoints keeps a command",
    default: setpoint_limits.keep_days,
    bounds: [30, 36_500],
  },
  webhook_allow: {
    doc: "none, or private addresses and networks (CIDR) that webhooks may be sent to, separated " +
      "by commas",
    default: "none",
    parse: parseNetworks,
  },
  webhook_rotation_hours: {
    doc: "how long the old secret of a subscription also signs after a new one is made",
    default: 24,
    bounds: [0, 720],
  },
  webhook_keep_days: {
    doc: "how long events, finished deliveries and their attempts are kept",
    default: 30,
    bounds: [1, 3_650],
  },
  ...retention_settings,
  upstream_url: {
    doc: "none, or the address of the centre that all samples and forecasts are forwarded to, " +
      "another service of this program, such as https://centre.example",
    default: "none",
    parse: requireOrigin,
  },
  upstream_token: {
    doc: "token of the centre, with the scope ingest for the projects of this service. Better " +
      "not as a flag",
    default: "none",
    is_secret: true,
  },
  upstream_max_kbit: {
    doc: "the most that is sent to the centre, kbit/s; 0: no limit",
    default: 0,
    bounds: [0, upstream_limits.kbit_most],
  },
  destination_dir: {
    doc: "directory that destinations may write files into, each into a folder of its own; none: " +
      "none may",
    default: "none",
  },
  destination_allow: {
    doc: "none, or private addresses and networks (CIDR) that destinations may be sent to, " +
      "separated by commas",
    default: "none",
    parse: parseNetworks,
  },
  upstream_trial_s: {
    doc: "how long sources have time to be read again after a site file of the centre was " +
      "applied, seconds; else it is rolled back",
    default: upstream_limits.trial_s,
    bounds: [upstream_limits.trial_least_s, upstream_limits.trial_most_s],
  },
  source_allow: {
    doc: "none, or addresses and networks (CIDR) that sources may reach although they are this " +
      "machine's own or link-local, separated by commas, such as 127.0.0.1",
    default: "none",
    parse: parseNetworks,
  },
  ...fleet_settings,
  signing_key_days: {
    doc: "days that a key signs webhooks before the next key replaces it",
    default: 90,
    bounds: [2, 3650],
  },
  signing_key_publish_hours: {
    doc: "hours that the next key that signs webhooks is published before it signs",
    default: 24,
    bounds: [1, 720],
  },
  stop_notice_ms: {
    doc: "how long a service that stops answers new requests with 503 before it takes no more",
    default: setting_limits.stop_notice_ms,
    bounds: [0, 600_000],
  },
  stop_grace_ms: {
    doc: "how long running requests may continue when the service stops",
    default: setting_limits.stop_grace_ms,
    bounds: [0, 600_000],
  },
} as const satisfies Record<string, Setting>;

type Table = typeof settings_table;
type SettingName = keyof Table;
type ValueOf<S> = S extends { readonly values: readonly (infer V)[] } ? V
  : S extends { readonly bounds: readonly unknown[] } ? number
  : string;

/** The values in force, by name. */
export type Settings = { readonly [K in SettingName]: ValueOf<Table[K]> };

/** Where a value came from, for example `flag --port` or `default`. */
export type Origins = { readonly [K in SettingName]: string };

/** What was given, by setting name; a source that gives nothing is empty. */
export type Given = {
  /** Text of flags by setting name. */
  readonly flags: Readonly<Record<string, string>>;
  /** Variables that start with `WATTKEEPER_`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Top-level keys of the file, and its path for messages. */
  readonly file: Readonly<Record<string, unknown>>;
  readonly file_path: string;
  /** Defaults that depend on the machine. */
  readonly machine: { readonly memory_mb: number; readonly threads: number };
};

/** The nouns of the text of `planned_off`. */
export function plannedOff(text: string): ReadonlySet<string> {
  return new Set(wordsIn(text));
}

/** Where backups are made. */
export function backupFolder(
  { backup_dir, data_dir }: Pick<Settings, "backup_dir" | "data_dir">,
): string {
  return backup_dir === "none" ? `${data_dir}/backups` : backup_dir;
}

/** Where the key lies that seals secrets. */
export function keyPath({ key_file, data_dir }: Pick<Settings, "key_file" | "data_dir">): string {
  return key_file === "none" ? `${data_dir}/wattkeeper.key` : key_file;
}

/** The names of all settings. */
export const setting_names = Object.keys(settings_table) as readonly SettingName[];

/** `--data-dir` for `data_dir`. */
export function flagOf(name: string): string {
  return `--${name.replaceAll("_", "-")}`;
}

/** `WATTKEEPER_DATA_DIR` for `data_dir`. */
export function variableOf(name: string): string {
  return `WATTKEEPER_${name.toUpperCase()}`;
}

/**
 * The value of every setting by flag > environment > file > default, and where each came from.
 * Throws a `Fault` (invalid) with a flaw for each value out of bounds and each unknown name.
 */
export function resolveSettings(given: Given): { settings: Settings; origins: Origins } {
  const flaws: Flaw[] = [...unknownNames(given)];
  const settings: Record<string, string | number> = {};
  const origins: Record<string, string> = {};
  for (const name of setting_names) {
    const { origin, value } = sourceOf(name, given);
    const setting: Setting = settings_table[name];
    const flaw = check(setting, value);
    if (flaw) {
      const given = `, not ${JSON.stringify(value)}`;
      const isTold = flaw.includes(given);
      const message = setting.is_secret ? flaw.replaceAll(given, "") : isTold ? flaw : flaw + given;
      flaws.push({ path: origin, message });
    }
    settings[name] = "bounds" in settings_table[name] ? Number(value) : String(value);
    origins[name] = origin;
  }
  if (flaws.length > 0) throw new Fault("invalid", "the configuration has errors", { flaws });
  return { settings: settings as Settings, origins: origins as Origins };
}

function sourceOf(name: SettingName, given: Given): { origin: string; value: unknown } {
  const { flags, environment, file, file_path, machine } = given;
  const variable = variableOf(name);
  if (flags[name] !== undefined) return { origin: `flag ${flagOf(name)}`, value: flags[name] };
  if (environment[variable] !== undefined) {
    return { origin: `variable ${variable}`, value: environment[variable] };
  }
  if (file[name] !== undefined) return { origin: `${file_path}: ${name}`, value: file[name] };
  const setting: Setting = settings_table[name];
  if (setting.default !== undefined) return { origin: "default", value: setting.default };
  return { origin: "default (this machine)", value: machine[name as keyof typeof machine] };
}

/** What is wrong with a value, as the form that is wanted; undefined when nothing is. */
function check(setting: Setting, value: unknown): string | undefined {
  if (setting.bounds) {
    const [minimum, maximum] = setting.bounds;
    const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
    if (Number.isInteger(number) && minimum <= Number(number) && Number(number) <= maximum) return;
    return `give a whole number from ${minimum} to ${maximum}`;
  }
  if (setting.parse) return refusalBy(setting.parse, String(value));
  if (setting.words) return strangeWord(wordsIn(String(value)), setting.words);
  if (setting.values?.includes(value as string) ?? (typeof value === "string" && value !== "")) {
    return;
  }
  return setting.values ? `give one of ${setting.values.join(", ")}` : "give a text";
}

function unknownNames({ environment, file, file_path }: Given): Flaw[] {
  const variables = setting_names.map(variableOf);
  const strange = (word: string, known: readonly string[], path: string): Flaw[] => {
    if (known.includes(word)) return [];
    const is_table = typeof file[word] === "object" && known === setting_names;
    const hint = meant(word, known) || (is_table ? ": they stand at the top, without tables" : "");
    return [{ path, message: `there is no such setting${hint}` }];
  };
  return [
    ...Object.keys(environment).flatMap((word) => strange(word, variables, `variable ${word}`)),
    ...Object.keys(file).flatMap((word) => strange(word, setting_names, `${file_path}: ${word}`)),
  ];
}
