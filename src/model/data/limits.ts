// Bounds of answers: rows a page, cells, batches.

export const answer_limits = {
  page_rows: 100_000,
  page_rows_default: 10_000,
  batch_rows: 65_536,
  parquet_group_rows: 131_072,
  cells_per_slab: 1_048_576,
  cells_of_first_slab: 65_536,
  cells_per_answer: 200_000_000,
  buckets_per_answer: 2_000_000,
} as const;
