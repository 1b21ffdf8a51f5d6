// Bounds of backups: how often the clock is looked at, and the room that is left.

export const backup_limits = {
  first_ms: 60_000,
  look_ms: 3_600_000,
  retry_ms: 600_000,
  spare_bytes: 256 * 1024 * 1024,
} as const;
