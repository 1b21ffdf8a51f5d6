// What the writer process and the test that kills it agree on.

/** Rows of one batch; row i of batch b is of instant `epoch_us` + b × `batch_rows` + i. */
export const batch_rows = 40;
export const epoch_us = 1_750_000_000_000_000;
