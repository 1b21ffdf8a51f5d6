// Answers that are kept so that a repeat gets the same: by an Idempotency-Key, or of a sync call.
import { omit, pick, type PlainRow } from "../../model/data/row.ts";
import type { Connection } from "../connection.ts";
import type { Write } from "../database.ts";
import { database_limits } from "../limits.ts";
import { statement } from "../statement.ts";
import { appendRows, table } from "../table.ts";

/**
 * Since when what is kept counts: a stamp, or an instant of the wall clock up to about now. Where
 * that was ahead and the service started again, the stamp alone would be later than what is fresh.
 */
const window = { since_us: "instant", wall_us: "instant", until_us: "instant" } as const;

type Window = PlainRow<typeof window>;

/** The window of `time_us` before a write. */
export function windowBefore({ ago, now_us }: Write, time_us: number): Window {
  const until_us = now_us + database_limits.stamp_ahead_us;
  return { since_us: ago(time_us), wall_us: now_us - time_us, until_us };
}

const answer_table = table("idempotent_answer", {
  token_id: "text",
  key: "text",
  /** Of the request. */
  digest: "text",
  answer: "text",
  created_at: "instant",
});

type AnswerRow = PlainRow<typeof answer_table.columns>;

/** A token's key, and what was asked under it. */
export type OnceKey = Pick<AnswerRow, "token_id" | "key" | "digest">;

/** What was answered to a token's request under a key, unless it is too long ago. */
const answered_find = statement({
  sql: `
    SELECT digest, answer
    FROM idempotent_answer
    WHERE
      token_id = $token_id::VARCHAR AND "key" = $key::VARCHAR
      AND (created_at > $since_us::BIGINT
        OR created_at > $wall_us::BIGINT AND created_at <= $until_us::BIGINT)
    ORDER BY created_at`,
  parameters: { token_id: "text", key: "text", ...window },
  row: pick(answer_table.columns, "digest", "answer"),
});

/** What was answered under a key within a window, with the digest of what was asked. */
export async function findAnswered(
  connection: Connection,
  request: Omit<OnceKey, "digest"> & Window,
): Promise<Pick<AnswerRow, "digest" | "answer"> | undefined> {
  const [row] = await connection.rows(answered_find, request);
  return row;
}

const answers_drop = statement({
  sql: `
    DELETE FROM idempotent_answer
    WHERE created_at <= $since_us::BIGINT
      AND (created_at <= $wall_us::BIGINT OR created_at > $until_us::BIGINT)`,
  parameters: window,
});

/** Keeps an answer, and removes those that are older than a window. */
export async function keepAnswered(
  connection: Connection,
  row: AnswerRow & Window,
): Promise<void> {
  await connection.run(answers_drop, row);
  await appendRows(connection, answer_table, [row]);
}

const call_table = table("sync_call", {
  project_no: "int32",
  delivery_id: "text",
  /** Stamp of its write. */
  received_at: "instant",
  /** JSON. */
  answer: "text",
});

/** A call of the inbound sync that was applied, and its answer. */
export type SyncCall = PlainRow<typeof call_table.columns>;

/** The answer to a project's call, unless it is too old; the latest first. */
const call_find = statement({
  sql: `
    SELECT answer
    FROM sync_call
    WHERE project_no = $project_no::INTEGER AND delivery_id = $delivery_id::VARCHAR
      AND (received_at >= $since_us::BIGINT
        OR received_at >= $wall_us::BIGINT AND received_at <= $until_us::BIGINT)
    ORDER BY received_at DESC
    LIMIT 1`,
  parameters: { ...omit(call_table.columns, "received_at", "answer"), ...window },
  row: { answer: "text" },
});

/** The answer to a project's call of this id within a window. */
export async function findSyncCall(
  connection: Connection,
  call: Pick<SyncCall, "project_no" | "delivery_id"> & Window,
): Promise<string | undefined> {
  const [found] = await connection.rows(call_find, call);
  return found?.answer;
}

const calls_drop = statement({
  sql: `
    DELETE FROM sync_call
    WHERE received_at < $since_us::BIGINT
      AND (received_at < $wall_us::BIGINT OR received_at > $until_us::BIGINT)`,
  parameters: window,
});

/** Stores a call, and forgets those that are older than a window. */
export async function keepSyncCall(
  connection: Connection,
  call: SyncCall & Window,
): Promise<void> {
  await connection.run(calls_drop, call);
  await appendRows(connection, call_table, [call]);
}
