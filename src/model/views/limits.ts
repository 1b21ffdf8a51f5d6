// Bounds of saved views.

export const view_limits = {
  per_project: 200,
  name_length: 100,
  address_length: 4_000,
  body_bytes: 64 * 1024,
} as const;
