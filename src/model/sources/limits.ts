// Bounds of sources: how many there are, how often they are read, how they are tried again.

export const source_limits = {
  site_sources: 500,
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
  // Models in the chain of one device.
  models: 200,
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
} as const;
