// Bounds of sources: how many there are, how often they are read, how they are tried again.

export const source_limits = {
  site_sources: 500,
  // Of all sites of an organization.
  organization_sources: 2_000,
  body_bytes: 1024 * 1024,
  maps: 100,
  map_points: 2_000,
  units: 1_000,
  // Tags that the sources of one site bring.
  tags: 200_000,
  // The shortest and the longest time between two readings.
  every_least_s: 0.1,
  every_most_s: 86_400,
  timeout_most_ms: 60_000,
  delay_most_ms: 60_000,
  // A text in registers.
  text_registers: 100,
  request_registers: 125,
  request_bits: 2_000,
  // Registers between two that are wanted which are read along.
  gap_registers: 16,
  // Of a broker: topics of a source, levels of one, steps of a path in JSON.
  topics: 1_000,
  topic_length: 1_000,
  topic_levels: 32,
  // What is sent to a setpoint.
  command_length: 1_000,
  path_length: 200,
  path_steps: 16,
  // Of a message: what is looked at, and what its samples may be.
  payload_bytes: 1024 * 1024,
  message_rows: 10_000,
  // Tags that the messages of one source may bring, and topics that are known by heart.
  brought_tags: 50_000,
  known_topics: 50_000,
  // Messages that wait for their commit; when so many do, no more are read.
  waiting_messages: 20_000,
  waiting_bytes: 16 * 1024 * 1024,
  // Messages that share a commit: of this time, so many, and sooner where the broker waits for it.
  gather_messages_ms: 1_000,
  gather_messages: 5_000,
  stall_ms: 20,
  // A broker from which nothing came for so long may be waiting.
  silent_ms: 200,
  // From so many waits at the same number on, a broker is known to send no more than that.
  stalls_alike: 3,
  // Of Sparkplug: edge nodes, metrics of one message, templates within templates.
  nodes: 10_000,
  metrics: 20_000,
  template_depth: 8,
  // How often one node, and all, are asked for their births, and what comes too soon after a death.
  rebirth_ms: 10_000,
  rebirth_most_ms: 600_000,
  rebirths_per_s: 50,
  late_birth_ms: 1_000,
  client_id_length: 256,
  user_length: 256,
  keep_alive_most_s: 3_600,
  session_most_s: 30 * 86_400,
  secret_bytes: 64 * 1024,
  gaps_shown: 20,
  // How long a client whose name another one took stays away, and what counts as a fight for it.
  taken_over_ms: 30_000,
  brief_ms: 5_000,
  brief_times: 5,
  farewell_ms: 1_000,
  // Models in the chain of one device.
  models: 200,
  // Messages of a station that share a commit: of this time, and sooner where so many wait for it,
  // as stations send no more than 12 before they are acknowledged.
  gather_frames_ms: 50,
  gather_frames: 8,
  // Addresses of a station that no point has, of which people are told.
  addresses_noted: 10,
  retry_ms: 1_000,
  retry_most_ms: 60_000,
  // A source that has made no step for so many of its periods, or this time, is begun again.
  watch_periods: 5,
  watch_ms: 30_000,
  // Readings in a row that failed after which a device counts as lost.
  lost_after: 2,
  // Rows of one moment share a body.
  gather_ms: 100,
  held_rows: 100_000,
  store_retry_ms: 1_000,
  state_ms: 60_000,
  reasons_shown: 20,
  notes_shown: 20,
  stop_ms: 5_000,
  endpoint_length: 500,
  node_length: 1_000,
  server_points: 50_000,
  array_elements: 100_000,
  queue_most: 100_000,
  // How often a server looks for changes, or sends them.
  interval_least_ms: 10,
  interval_most_ms: 3_600_000,
  // A server that has nothing to send says so after this time.
  alive_ms: 5_000,
  // What a server keeps of a subscription that does not ask for it.
  subscription_kept_ms: 300_000,
  session_kept_ms: 120_000,
  // Changes that a server sends at once, nodes of one request, values of a node in one answer.
  message_values: 10_000,
  request_nodes: 1_000,
  history_nodes: 20,
  history_values: 1_000,
  history_most_days: 3_650,
  // History is read from this time before what is stored last.
  history_overlap_ms: 10_000,
  // Once more after so long: a server may have stored late what it sent to nobody.
  history_late_ms: 15_000,
  // And to this time after the present.
  history_ahead_ms: 60_000,
  // From this difference of the clocks on it is told.
  clock_told_ms: 10_000,
  // Events that a server keeps until it sends them, types of conditions, devices that have some.
  event_queue: 10_000,
  condition_types: 200,
  alarm_devices: 10_000,
  // Conditions that are remembered, and how long a server may take to tell of all that it has.
  conditions: 50_000,
  refresh_ms: 60_000,
  // Nodes that are looked at for what a point may have meant, or what a server has.
  near_nodes: 5_000,
  scan_nodes: 50_000,
  scan_depth: 12,
} as const;
