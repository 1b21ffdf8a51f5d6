// The settings of what is kept for how long, and where old samples lie.
import { keepDays, schemaName, storeOrigin, tierDays, tierPlace } from "./keep.ts";
import { retention_limits } from "./limits.ts";

/** Settings by name; the table of all has them, too. */
export const retention_settings = {
  keep_samples: {
    doc:
      "how long samples are kept: days, such as 400d, or forever. A site file can say otherwise " +
      "of some tags",
    default: "forever",
    parse: keepDays,
  },
  keep_forecasts: {
    doc: "how long forecasts are kept, likewise",
    default: "forever",
    parse: keepDays,
  },
  keep_minutes: {
    doc: "how long values by minute are kept, likewise",
    default: "forever",
    parse: keepDays,
  },
  keep_quarters: {
    doc: "how long values by quarter-hour are kept, likewise; those by day stay for ever",
    default: "forever",
    parse: keepDays,
  },
  tier_after: {
    doc:
      "age from which samples lie in Parquet files instead of the database: days, such as 90d, " +
      "or never",
    default: "never",
    parse: tierDays,
  },
  tier_dir: {
    doc: "directory for these files, of this service alone; none: the folder tiers of the data " +
      "directory",
    default: "none",
  },
  tier: {
    doc: "files: old samples lie in tier_dir; or ducklake:CATALOG: in a lake that others may " +
      "read, such as ducklake:postgres:dbname=lake host=db. Better not as a flag where it has a " +
      "password",
    default: "files",
    parse: tierPlace,
    is_secret: true,
  },
  lake_dir: {
    doc: "directory of the lake's files, or s3://BUCKET/PREFIX; none: the folder lake of the " +
      "data directory",
    default: "none",
  },
  lake_schema: {
    doc: "schema of the lake's catalogue, of this service alone",
    default: "wattkeeper",
    parse: schemaName,
  },
  extension_dir: {
    doc: "directory of the extensions that a lake needs; none: the folder extensions of the data " +
      "directory",
    default: "none",
  },
  s3_endpoint: {
    doc: "none, or the address of the object store of lake_dir, such as " +
      "https://store.example:9000",
    default: "none",
    parse: storeOrigin,
  },
  s3_region: { doc: "region of the object store; none: us-east-1", default: "none" },
  s3_key_id: { doc: "identifier of the key for the object store", default: "none" },
  s3_secret: {
    doc: "secret of this key. Better not as a flag",
    default: "none",
    is_secret: true,
  },
  keep_free_percent: {
    doc: "share of the disk, percent, below which data that are not kept for ever go sooner, the " +
      `oldest first, down to the last ${retention_limits.keep_days_least} days; 0: never`,
    default: 0,
    bounds: [0, retention_limits.free_percent_most],
  },
} as const;
