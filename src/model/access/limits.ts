// Bounds of tokens and users.

export const access_limits = {
  tokens: 10_000,
  token_use_flush_us: 60 * 1_000_000,
  token_body_bytes: 64 * 1024,
  users: 100_000,
  email_length: 254,
  user_body_bytes: 64 * 1024,
} as const;
