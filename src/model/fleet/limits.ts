// Bounds of a fleet: how long a lease holds, and how long others wait.

export const fleet_limits = {
  lease_ms: 10_000,
  /** What two clocks may run apart while a lease holds: its holder gives it up so much sooner. */
  margin_ms: 1_000,
  beat_ms: 2_000,
  /** How old a look at the catalogue is before a question makes another. */
  look_again_ms: 500,
  /** How long the catalogue may take to answer. */
  answer_ms: 4_000,
  /** How often the process of a shard asks for how long it may still answer. */
  ask_ms: 1_000,
  /** So often in a row it is looked whether a shard that answers asks, before it is killed. */
  silent_looks: 10,
  silent_look_ms: 3_000,
  /** The same of one that opens its database, which takes long, but works meanwhile. */
  idle_looks: 100,
  /** So much time of a processor in all of these is work; what only waits takes a tenth of it. */
  work_ms: 1_500,
  /** How long a request waits for a shard that is on its way to another node. */
  wait_ms: 15_000,
  /** How long an applied site file waits until the home knows its new site. */
  known_ms: 8_000,
  /** How long requests that run may go on when their shard moves. */
  leave_ms: 5_000,
  fence_ms: 30_000,
  /** How often it is looked whether what was killed has ended. */
  killed_ms: 20,
  /** How long a node leaves a shard alone that it gave to others. */
  again_ms: 5_000,
  /** How long a process answers before its end is not counted with the one before. */
  steady_ms: 10_000,
  /** How long it waits to start one again, which doubles with each that ends so soon. */
  restart_ms: 1_000,
  restart_most_ms: 30_000,
  /** How long none stays up before another node tries the shard. */
  stuck_ms: 30_000,
  /** How long a shard runs before nodes that could not let it run may have it again. */
  forget_ms: 3_600_000,
  /** So much of why a shard does not run is kept. */
  why_length: 500,
  /** So often a request is passed on: one time, and once more while its shard moves. */
  hops: 2,
  /** How old what a node signed may be, and how far two nodes' ideas of the time may differ. */
  hop_ms: 30_000,
  retry_after_s: 2,
  shards: 64,
  shards_least: 2,
  shards_most: 1_024,
  /** How long the process of a shard waits until the catalogue has done what it says. */
  keep_ms: 5_000,
  /** How often it is looked whether the outline that the catalogue has is to be a new one. */
  outline_ms: 30_000,
  /** How long a request that sealed days can answer waits for their shard before another does. */
  stand_in_wait_ms: 3_000,
  /** How many processes of a node stand in for shards that are away. */
  stand_ins: 4,
  /** How long one that nobody asks goes on. */
  stand_in_idle_ms: 60_000,
  /** How long it is left alone after one did not start. */
  stand_in_rest_ms: 30_000,
  /** How long a command waits for what it asked for, and how often it looks. */
  command_ms: 60_000,
  look_ms: 500,
  name_length: 40,
  secret_least: 16,
} as const;
