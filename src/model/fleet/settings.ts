// The settings of a node of a fleet.
import { fleet_limits } from "./limits.ts";
import { catalogPlace, requireAddress, requireFleetSecret, requireNodeName } from "./place.ts";

/** Settings by name; the table of all has them, too. */
export const fleet_settings = {
  fleet_catalog: {
    doc: "none, or the PostgreSQL that says which node of a fleet holds what, such as " +
      "postgres:host=db dbname=fleet user=fleet sslmode=verify-full. Better not as a flag " +
      "where it has a password",
    default: "none",
    parse: catalogPlace,
    is_secret: true,
  },
  fleet_node: {
    doc: "name of this node in its fleet",
    default: "none",
    parse: requireNodeName,
  },
  fleet_address: {
    doc: "address at which the other nodes reach this one, such as http://10.0.0.7:8480; none: " +
      "host and port",
    default: "none",
    parse: requireAddress,
  },
  fleet_secret: {
    doc: "text by which nodes know each other, the same for all. Better not as a flag",
    default: "none",
    parse: requireFleetSecret,
    is_secret: true,
  },
  fleet_fence: {
    doc: "what keeps a former node from a shard's directory before another opens it. none: " +
      "nothing does, and a shard waits for its own node; process: the process that holds the " +
      "directory on this machine is killed; or a command, which is given the shard, the " +
      "directory and the former node",
    default: "none",
  },
  fleet_shards: {
    doc: "into how many shards a new fleet is divided, for good",
    default: fleet_limits.shards,
    bounds: [fleet_limits.shards_least, fleet_limits.shards_most],
  },
} as const;
