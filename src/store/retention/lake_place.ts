// Where a lake is: its catalogue, its data, and what the library needs to reach them.
import type { Effects } from "../../base/effects.ts";
import type { Settings } from "../../model/setting.ts";
import { filled, quoted } from "../statement.ts";
import { type ExtensionName, extensionsPath } from "./extension.ts";

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
  readonly effects: Pick<Effects, "monotonic_ms" | "sleep">;
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
