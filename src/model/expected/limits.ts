// Bounds of expected power and forecasts.

export const expected_limits = {
  pairs: 1_000_000,
  grid_depth: 64,
  alike_degrees: 15,
  forecast_hold_s: 3600,
  forecast_cover: 0.9,
  curve_points: 20,
  rated_w: 1e12,
  // What is sent as expected may be this many times the rated power at most. What is measured may
  // be more, and is told.
  rated_factor: 2,
  nominal_v: 2e6,
} as const;
