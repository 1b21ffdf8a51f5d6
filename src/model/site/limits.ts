// Bounds of a site file.

export const site_limits = {
  file_bytes: 32 * 1024 * 1024,
  blocks: 10_000,
  devices: 50_000,
  device_models: 1_000,
  sensors: 200_000,
  counter_resets: 10_000,
  fallbacks: 20,
} as const;
