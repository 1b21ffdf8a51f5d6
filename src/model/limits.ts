// Bounds of settings.

export const setting_limits = {
  stop_notice_ms: 2_000,
  stop_grace_ms: 25_000,
  visible_after_us: 5_000_000,
  checkpoint_wal_bytes: 16 * 1024 * 1024,
  memory_mb_min: 64,
  memory_mb_max: 1_048_576,
} as const;
