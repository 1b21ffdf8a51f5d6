// The tables of a fleet's catalogue in PostgreSQL, and a connection to it. Nodes of an older
// version use the tables, too: a column that is added has a default, and none is taken away.
import type { Sql } from "postgres";
import { fleet_limits } from "../../model/fleet/limits.ts";
import type { CatalogPlace } from "../../model/fleet/place.ts";

/** One script, run by each node and each command as it starts: what is there stays. */
export const fleet_tables = `
  -- Held until all of this is committed.
  SELECT pg_advisory_xact_lock(hashtext('wattkeeper_fleet'));
  CREATE SCHEMA IF NOT EXISTS wattkeeper_fleet;
  CREATE TABLE IF NOT EXISTS wattkeeper_fleet.node (
    name text PRIMARY KEY,
    run text NOT NULL,
    address text NOT NULL,
    version text NOT NULL,
    until timestamptz NOT NULL,
    is_draining boolean NOT NULL DEFAULT false
  );
  CREATE TABLE IF NOT EXISTS wattkeeper_fleet.shard (
    no integer PRIMARY KEY,
    node text,
    run text,
    epoch integer NOT NULL DEFAULT 0,
    until timestamptz,
    home text,
    is_open boolean NOT NULL DEFAULT false,
    wanted text,
    is_used boolean NOT NULL DEFAULT false,
    is_made boolean NOT NULL DEFAULT false,
    told jsonb,
    told_no integer NOT NULL DEFAULT 0
  );
  CREATE TABLE IF NOT EXISTS wattkeeper_fleet.place (
    organization text NOT NULL,
    project text NOT NULL,
    shard integer NOT NULL REFERENCES wattkeeper_fleet.shard (no),
    PRIMARY KEY (organization, project)
  );
  -- Tokens that were ended while the home was away, until it has told that.
  CREATE TABLE IF NOT EXISTS wattkeeper_fleet.ended_token (
    id text PRIMARY KEY,
    revoked_at double precision NOT NULL
  );
  -- What later versions added. In the order in which beats lock.
  ALTER TABLE wattkeeper_fleet.shard
    ADD COLUMN IF NOT EXISTS data_version integer NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS why text,
    ADD COLUMN IF NOT EXISTS tried text[] NOT NULL DEFAULT '{}';
  ALTER TABLE wattkeeper_fleet.node
    ADD COLUMN IF NOT EXISTS data_version integer NOT NULL DEFAULT 0`;

/** Loaded where it is needed: a service alone has no use for it. */
export async function connect({ ssl_mode, root_file, ...place }: CatalogPlace): Promise<Sql> {
  const { default: postgres } = await import("postgres");
  return postgres({
    ...definedOf(place),
    ...{ max: 1, onnotice: () => {} },
    // Without an object, certificates are not checked.
    ssl: ssl_mode === "verify-full"
      ? { servername: place.host, ...(root_file && { ca: await Deno.readTextFile(root_file) }) }
      : ssl_mode === "require" && "require",
    connect_timeout: fleet_limits.answer_ms / 1000,
  });
}

function definedOf<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Partial<T>;
}
