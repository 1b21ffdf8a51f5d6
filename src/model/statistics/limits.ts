// Bounds of statistics: how many samples a request may read, and in what portions.

export const statistics_limits = {
  sensor_days: 10_000,
  days_per_read: 64,
  bridge_s: 3_600,
  state_look_s: 86_400,
} as const;
