// The tables of a fleet's catalogue in PostgreSQL, and what is asked of its nodes and places. Nodes
// of older versions use the tables, too: a column that is added has a default, and none is taken
// away.

/** Held until what follows is committed. */
export const fleet_lock = "SELECT pg_advisory_xact_lock(hashtext('wattkeeper_fleet'))";

/** One script, run by each node and each command as it starts: what is there stays. */
export const fleet_tables = `
  ${fleet_lock};
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
  -- Tells this fleet from all others, in one row.
  CREATE TABLE IF NOT EXISTS wattkeeper_fleet.fleet (
    is_it boolean PRIMARY KEY DEFAULT true CHECK (is_it),
    id text NOT NULL
  );
  INSERT INTO wattkeeper_fleet.fleet (id) VALUES (gen_random_uuid()::text) ON CONFLICT DO NOTHING;
  -- What later versions added. In the order in which beats lock.
  ALTER TABLE wattkeeper_fleet.shard
    ADD COLUMN IF NOT EXISTS data_version integer NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS why text,
    ADD COLUMN IF NOT EXISTS tried text[] NOT NULL DEFAULT '{}',
    -- A copy of the plant's outline, its number, which rises with every change, and the epoch in
    -- which it counts. Older nodes take a shard without taking that along: it counts no more then.
    ADD COLUMN IF NOT EXISTS outline bytea,
    ADD COLUMN IF NOT EXISTS outline_no integer NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS outline_epoch integer;
  ALTER TABLE wattkeeper_fleet.node
    ADD COLUMN IF NOT EXISTS data_version integer NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS secret_mark text`;

/** Whether there is a fleet. */
export const made_find = "SELECT to_regclass('wattkeeper_fleet.shard') IS NOT NULL AS is_made";

/** Makes the shards of a new fleet. */
export const shards_make = `
  INSERT INTO wattkeeper_fleet.shard (no, is_used)
  SELECT no, no = $2::int FROM generate_series(0, $1::int - 1) AS no
  WHERE NOT EXISTS (SELECT FROM wattkeeper_fleet.shard)
  ON CONFLICT DO NOTHING`;

/** Which fleet it is, of how many shards. */
export const fleet_find = `
  SELECT id, (SELECT count(*)::int FROM wattkeeper_fleet.shard) AS shards
  FROM wattkeeper_fleet.fleet`;

/** Says that a node is there; no row where another process has its name. */
export const node_renew = `
  INSERT INTO wattkeeper_fleet.node
    (name, run, address, version, until, data_version, secret_mark)
  VALUES ($1, $2, $3, $4, now() + $5::interval, $6, $7)
  ON CONFLICT (name) DO UPDATE
  SET run = $2, address = $3, version = $4, until = now() + $5::interval, data_version = $6,
    secret_mark = $7
  WHERE node.run = $2 OR node.until < now()
  RETURNING name`;

/** All nodes that have not left. */
export const nodes_list = `
  SELECT name, address, version, data_version, until > now() AS is_live, is_draining
  FROM wattkeeper_fleet.node
  ORDER BY name`;

/** The nodes beside one that run, and know each other by another secret. */
export const strangers = `
  SELECT name FROM wattkeeper_fleet.node
  WHERE name <> $1 AND secret_mark <> $2 AND until > now()
  ORDER BY name`;

/** Says whether a node is to give its shards away. */
export const node_drain = "UPDATE wattkeeper_fleet.node SET is_draining = $2 WHERE name = $1";

/** Forgets a node. */
export const node_leave = "DELETE FROM wattkeeper_fleet.node WHERE name = $1 AND run = $2";

/** Gives a project its shard, where it has none yet. */
export const place_insert = `
  INSERT INTO wattkeeper_fleet.place (organization, project, shard) VALUES ($1, $2, $3)
  ON CONFLICT DO NOTHING`;

/** The shard of a project. */
export const place_find =
  "SELECT shard AS no FROM wattkeeper_fleet.place WHERE organization = $1 AND project = $2";

/** How many projects were placed in each shard. */
export const places_count =
  "SELECT shard AS no, count(*)::int AS count FROM wattkeeper_fleet.place GROUP BY shard";

/** Forgets what a node tried. */
export const tries_end = `
  UPDATE wattkeeper_fleet.shard SET tried = array_remove(tried, $1) WHERE $1 = ANY (tried)`;

/** Wants nothing at a node any more. */
export const wants_end = "UPDATE wattkeeper_fleet.shard SET wanted = NULL WHERE wanted = $1";

/** Forgets tokens that ended. */
export const ended_forget = "DELETE FROM wattkeeper_fleet.ended_token WHERE id = ANY ($1::text[])";

/** The time by its clock. */
export const clock_read = "SELECT (1000 * extract(epoch FROM now()))::float8 AS now_ms";
