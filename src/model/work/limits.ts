// Bounds of issues, work orders and inbound sync.

export const work_limits = {
  sync_body_bytes: 256 * 1024,
  sync_hashed_bytes: 16 * 1024 * 1024,
  sync_items: 200,
  delivery_id_length: 200,
  sync_window_us: 15 * 60 * 1_000_000,
  page_rows: 10_000,
  page_rows_default: 1_000,
  body_bytes: 256 * 1024,
  name_length: 200,
  text_length: 4_000,
  devices: 500,
  merged: 100,
  orders_per_issue: 100,
  external_length: 2_000,
  payload_length: 16 * 1024,
  payload_depth: 16,
  range_us: 92 * 86_400 * 1_000_000,
  idempotency_key_length: 200,
  idempotency_us: 24 * 3600 * 1_000_000,
  tail_events: 1_000,
  photos: 50,
  photo_bytes: 8 * 1024 * 1024,
  /** A text that another service says: some that it fills in itself are longer. */
  told_text_length: 16_000,
  /** The last place (the year 2112) that a change may take, unless those before it are there. */
  order_us: 2 ** 52,
  /** So far behind the others may a change be there: each follows closely. */
  order_gap_us: 1_000_000_000,
  /** A gateway numbers from here on, until its centre has given a number. */
  own_numbers_from: 1_000_000_000,
} as const;
