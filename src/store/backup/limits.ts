// Bounds of backups: pieces, the room that is left, how often the clock is looked at.

export const backup_limits = {
  piece_bytes: 256 * 1024,
  sync_bytes: 16 * 1024 * 1024,
  manifest_bytes: 256 * 1024 * 1024,
  spare_bytes: 256 * 1024 * 1024,
  first_ms: 60_000,
  look_ms: 3_600_000,
  retry_ms: 600_000,
  /** Files of certificates that the database has a copy of, and how large each may be. */
  certificates: 1_000,
  certificate_bytes: 256 * 1024,
} as const;
