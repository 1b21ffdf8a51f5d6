// What is asked about the nodes of a fleet.

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
