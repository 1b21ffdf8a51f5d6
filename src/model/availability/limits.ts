// Bounds of availability: what counts as producing, overrides, its passes.

export const availability_limits = {
  override_body_bytes: 1024 * 1024,
  override_inverters: 10_000,
  override_reason_length: 1_000,
  override_us: 400 * 86_400 * 1_000_000,
  override_ahead_us: 400 * 86_400 * 1_000_000,
  no_power_share: 0.005,
  producing_share: 0.02,
  peers_share: 0.5,
  // Beside a doubtful power, a counter stands still while the peers make this many of its steps,
  // and climbs if it counts this share of what they make.
  standing_steps: 1.5,
  climbing_share: 0.25,
  // So many quarter-hours on end with a climb show a fine counter.
  fine_quarters: 4,
  dark_poa_w_m2: 50,
  low_sun_s: 3600,
  // Losses: how far below its peers an inverter is derated, and below its siblings a string broken.
  derate_share: 0.05,
  string_share: 0.2,
  least_strings: 3,
  outage_voltage_share: 0.5,
  gap_days: 14,
  gap_counter_quarters: 4,
  delay_s: 60,
  pause_ms: 2_000,
  backlog_rows: 250_000,
  days: 16,
  cells: 2_000_000,
  // An inverter takes as much memory as so many strings.
  strings_per_cell: 12,
  state_codes: 1_000,
} as const;
