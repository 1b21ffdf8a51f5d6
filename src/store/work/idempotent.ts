// Answers to requests that carried an Idempotency-Key, kept while a repeat gets the same again.
import idempotent_find from "./idempotent_find.sql" with { type: "text" };
import idempotent_insert from "./idempotent_insert.sql" with { type: "text" };
import type { Connection } from "../connection.ts";

/** A token's key, and what was asked under it. */
export type OnceKey = {
  readonly token_id: string;
  readonly key: string;
  /** Of the request. */
  readonly digest: string;
};

/** What was answered under a key after an instant, with the digest of what was asked. */
export async function findAnswered(
  connection: Connection,
  { token_id, key, after_us }: Omit<OnceKey, "digest"> & { readonly after_us: number },
): Promise<{ readonly digest: string; readonly answer: string } | undefined> {
  const [row] = await connection.rows<{ digest: string; answer: string }>(
    idempotent_find,
    { token_id, key, after_us },
  );
  return row;
}

/** Keeps an answer, and removes those that are as old as `until_us`. */
export async function keepAnswered(
  connection: Connection,
  row: OnceKey & {
    readonly answer: string;
    readonly created_at: number;
    readonly until_us: number;
  },
): Promise<void> {
  const { until_us, ...kept } = row;
  await connection.run("DELETE FROM idempotent_answer WHERE created_at <= $until_us::BIGINT", {
    until_us,
  });
  await connection.run(idempotent_insert, kept);
}
