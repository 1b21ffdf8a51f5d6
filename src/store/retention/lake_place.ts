// Where a lake is, what the library needs to reach it, and what is said where it does not answer.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import type { Settings } from "../../model/setting.ts";
import { isFatal } from "../damage.ts";
import { filled, quoted } from "../statement.ts";
import { type ExtensionName, extensionsPath } from "./extension.ts";
import { lake_limits } from "./limits.ts";

/** Where a lake is, and how it is reached. */
export type LakeOptions = {
  /** What follows `ducklake:`, such as `postgres:dbname=lake host=db` or a file's path. */
  readonly catalog: string;
  /** A folder, or an address such as `s3://bucket/plant`. */
  readonly data_path: string;
  /** The schema of the catalogue that is this service's alone. */
  readonly schema: string;
  /** The folder of the extensions. */
  readonly extensions: string;
  readonly s3: S3Options;
  readonly effects: Pick<Effects, "monotonic_ms" | "sleep" | "owns">;
  /** Nothing is made or changed there: another service has it. */
  readonly is_read_only?: true;
  /** For how long what nobody needs stays. */
  readonly old_hours?: number;
  /** Hears, once each time, that the lake stopped answering, and why. */
  readonly tell?: (text: string) => void;
};

/** How an object store is reached; what is `none` is as the store's own default. */
export type S3Options = {
  readonly endpoint: string;
  readonly region: string;
  readonly key_id: string;
  readonly secret: string;
};

/** The lake that the settings name. */
export function lakePlace(settings: Settings): Omit<LakeOptions, "effects" | "tell"> {
  return {
    ...placeOf(settings),
    ...{ schema: settings.lake_schema, extensions: extensionsPath(settings) },
    s3: {
      ...{ endpoint: settings.s3_endpoint, region: settings.s3_region },
      ...{ key_id: settings.s3_key_id, secret: settings.s3_secret },
    },
  };
}

/** The extensions that a lake needs. */
export function needed({ catalog, data_path }: Pick<LakeOptions, "catalog" | "data_path">) {
  const names: ExtensionName[] = ["ducklake"];
  if (catalog.startsWith("postgres:")) names.push("postgres_scanner");
  if (data_path.startsWith("s3://")) names.push("httpfs");
  return names;
}

/** The extensions that the lake of the settings needs. */
export function extensionsOf(settings: LakeSettings): readonly ExtensionName[] {
  return needed(placeOf(settings));
}

type LakeSettings = Pick<Settings, "tier" | "lake_dir" | "data_dir">;

function placeOf({ tier, lake_dir, data_dir }: LakeSettings) {
  return {
    catalog: tier.slice("ducklake:".length),
    data_path: lake_dir === "none" ? `${data_dir}/lake` : lake_dir,
  };
}

const secret_make = "CREATE OR REPLACE SECRET lake_store ({parts})";

/** SQL that lets the library reach an object store. */
export function secretOf({ endpoint, region, key_id, secret }: S3Options): string {
  const parts: string[] = ["TYPE s3"];
  const take = (name: string, value: string) => {
    if (value !== "none") parts.push(`${name} ${quoted(value)}`);
  };
  const place = endpoint === "none" ? undefined : new URL(endpoint);
  if (place !== undefined) {
    take("ENDPOINT", place.host);
    parts.push("URL_STYLE 'path'", `USE_SSL ${place.protocol === "https:"}`);
  }
  take("REGION", region === "none" ? "us-east-1" : region);
  take("KEY_ID", key_id);
  take("SECRET", secret);
  return filled(secret_make, { parts: parts.join(", ") });
}

/** Throws a `Fault` (unavailable) where another service may have the data by now. */
export function requireOwner({ effects }: Pick<LakeOptions, "effects">): void {
  if (effects.owns()) return;
  throw new Fault("unavailable", "nothing is stored in the lake while others may have the data");
}

/** The lake did not answer in time. */
export class LateError extends Error {}

/** Errors of catalogues and stores; those of statements are others, or of the file itself. */
export function isOfLake(error: unknown): boolean {
  return !isFatal(error) && (error instanceof LateError ||
    /^(IO|HTTP|Connection|Invalid|Invalid Configuration) Error/.test((error as Error).message));
}

/** Why, in the library's words; what it quotes can hold a password, and quotes within that. */
export function lakeReason(error: unknown): string {
  const [line] = (error as Error).message.replace(/["'].*["']/s, "…").split("\n");
  return line.replaceAll(/\b(password|secret)=\S+/gi, "$1=…");
}

/** What who needs old days is told meanwhile. */
export function lakeAway(reason: string): Fault {
  return new Fault("unavailable", `old days lie in a lake that does not answer (${reason})`, {
    retry_after_s: lake_limits.retry_after_s,
  });
}
