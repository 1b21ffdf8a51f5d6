// Where a fleet's catalogue is, and where a project's data go.
import { Fault } from "../../base/fault.ts";
import { fleet_limits } from "./limits.ts";
import { home_shard, type Shard } from "./shard.ts";

/** How a PostgreSQL is reached; what is undefined is as its client's default. */
export type CatalogPlace = {
  readonly host: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  readonly ssl_mode: typeof ssl_modes[number];
  /** The file of the authorities that are believed; undefined: those of the runtime. */
  readonly root_file?: string;
};

const words = ["host", "port", "user", "password", "dbname", "sslmode", "sslrootcert"];
/** What lies between them checks less than its name says, and is not offered. */
const ssl_modes = ["disable", "require", "verify-full"] as const;
const form = "give postgres: and its words, such as postgres:host=db dbname=fleet user=fleet";

/** What a text names such as `postgres:host=db dbname=fleet`; undefined for none. */
export function catalogPlace(text: string): CatalogPlace | undefined {
  if (text === "none") return undefined;
  const given = /^postgres:(.*)$/.exec(text)?.[1].trim().split(/ +/).map((it) => it.split("="));
  const strange = given?.find(([name, value]) =>
    !words.includes(name) || !value ||
    name === "sslmode" && !ssl_modes.some((it) => it === value)
  );
  if (given === undefined || strange) {
    const modes = `sslmode is one of ${ssl_modes.join(", ")}`;
    const what = strange ? `; its words are ${words.join(", ")}, and ${modes}` : "";
    throw new Fault("invalid", `${form}${what}`);
  }
  const { host = "127.0.0.1", port, user, password, dbname, sslmode, sslrootcert } = Object
    .fromEntries(given.map(([name, ...value]) => [name, value.join("=")]));
  if (sslmode !== "verify-full" && sslrootcert !== undefined) {
    throw new Fault("invalid", "sslrootcert is read with sslmode=verify-full alone: add that");
  }
  if (sslmode === "verify-full" && !/[a-z]/i.test(host.replace(/^.*[/:].*$/, ""))) {
    const how = "give as host the name that the certificate is for";
    throw new Fault("invalid", `sslmode=verify-full checks a name, and ${host} is none: ${how}`);
  }
  return {
    ...{ host, user, password, database: dbname, root_file: sslrootcert },
    port: port === undefined ? undefined : Number(port),
    ssl_mode: ssl_modes.find((it) => it === sslmode) ?? "disable",
  };
}

/** The shard for a new project: the one with the fewest, of those that hold plants. */
export function emptiest(
  shards: readonly Pick<Shard, "no">[],
  projects: ReadonlyMap<number, number>,
): number {
  const counts = shards.filter(({ no }) => no !== home_shard)
    .map(({ no }) => ({ no, count: projects.get(no) ?? 0 }));
  return counts.toSorted((a, b) => a.count - b.count || a.no - b.no)[0].no;
}

/** Throws a `Fault` (invalid) for what is no name of a node. */
export function requireNodeName(text: string): void {
  if (/^[\w.-]+$/.test(text) && text.length <= fleet_limits.name_length) return;
  throw new Fault("invalid", "give letters, digits, dots and dashes, such as node-a");
}

/** Throws a `Fault` (invalid) for a secret that others may guess. */
export function requireFleetSecret(text: string): void {
  if (text === "none" || text.length >= fleet_limits.secret_least) return;
  throw new Fault("invalid", `give at least ${fleet_limits.secret_least} characters by chance`);
}

/** Throws a `Fault` (invalid) for what is no address of a node. */
export function requireAddress(text: string): void {
  const url = URL.parse(text);
  if (text === "none" || url && /^https?:$/.test(url.protocol) && url.href === `${text}/`) return;
  throw new Fault("invalid", "give an address without a path, such as http://10.0.0.7:8480");
}
