// Bounds of the roll-up: how long values hold, its passes.

export const rollup_limits = {
  carry_s: 900,
  model_carry_s: 3600,
  setpoint_active_s: 3600,
  // What contradicts a setpoint: more power by the greater of two tolerances, all these minutes;
  // not while it falls faster than the ramp (of rated power, within these minutes).
  contradiction_minutes: 5,
  contradiction_setpoint_share: 0.05,
  contradiction_rated_share: 0.01,
  contradiction_ramp_share: 0.05,
  hold_s: 86_400,
  gap_s: 900,
  // So many samples are taken at a time, and where the last ones were of few quarter-hours, each of
  // so many samples at least, so many more: a pass looks at each day and each tag.
  rows: 2_000_000,
  dense_rows: 4_000_000,
  dense_quarter: 8,
  // After passes that failed half as many are taken, and half of those, so often.
  halvings: 4,
  // So many samples of minutes that are not over are looked at at once.
  open_rows: 200_000,
  units: 320_000,
  rows_per_write: 250_000,
  rows_in_turn: 20_000,
  // With more samples than so many times the minutes that they are of, most minutes have several.
  dense_samples: 3,
  // With fewer touched quarter-hours it takes longer to look for new whole ones first. So many are
  // looked at at a time.
  new_wholes: 4_000,
  most_new_wholes: 500_000,
  unfolded_quarters: 4_000,
  gap_quarters: 96,
  gaps: 8,
  pause_ms: 1_000,
  stale_days: 500,
  differences_shown: 10,
} as const;
