// Stores the calls of the inbound sync that were applied, for as long as a repeat is one.
import type { Connection } from "../connection.ts";
import sync_call_find from "./sync_call_find.sql" with { type: "text" };
import sync_call_insert from "./sync_call_insert.sql" with { type: "text" };

/** A call that was applied, and its answer as JSON. */
export type SyncCall = {
  readonly project_no: number;
  readonly delivery_id: string;
  /** Stamp of its write: microseconds since 1970 UTC. */
  readonly received_at: number;
  readonly answer: string;
};

/** Since when a call makes a repeat of it one. */
type SyncWindow = { readonly since_us: number };

/** The answer to a project's call of this id, unless it is older than `since_us`. */
export async function findSyncCall(
  connection: Connection,
  call: Pick<SyncCall, "project_no" | "delivery_id"> & SyncWindow,
): Promise<string | undefined> {
  const [found] = await connection.rows<{ answer: string }>(sync_call_find, call);
  return found?.answer;
}

/** Stores a call, and forgets those that are older than `since_us`. */
export async function keepSyncCall(
  connection: Connection,
  { since_us, ...call }: SyncCall & SyncWindow,
): Promise<void> {
  await connection.run("DELETE FROM sync_call WHERE received_at < $since_us", { since_us });
  await connection.run(sync_call_insert, call);
}
