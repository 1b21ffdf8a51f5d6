// Names damage: what the database or the system says of a file becomes a refusal with what helps.
import { Fault, refusalOfSystem } from "../base/fault.ts";
import type { Folder } from "./folder.ts";
import { DuckError } from "./duckdb/symbols.ts";
import { database_limits } from "./limits.ts";

/** What helps, by what the reason says; the first that fits. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [/No space left|quota exceeded/i, "Free some space, then try again"],
  [/Permission denied|Read-only/i, "Let this user read and write it"],
  [/Conflicting lock/, "End the program that has it open"],
  [/not a valid DuckDB database/, "Put the right file there, or restore a backup"],
  [/WAL file/, "Restore a backup, or move the log away and run serve --accept-data-loss"],
  [/./, "Check the disk, then restore a backup"],
];

/**
 * Runs `work` on the database of `folder`. A failure by a file that is damaged or out of reach
 * becomes a `Fault` (conflict) that names the file and what helps.
 */
export async function namingDamage<T>(folder: Folder, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = refusalOfSystem(error) ?? (isDamage(error) ? error.message : undefined);
    if (reason === undefined) throw error;
    const [, remedy] = remedies.find(([sign]) => sign.test(reason))!;
    const line = reason.split("\n")[0].replace(/[.!]$/, "");
    const named = line.includes(folder.path) ? line : `${line} (${folder.database_path})`;
    throw new Fault("conflict", `the database can't be used: ${named}. ${remedy}`);
  }
}

/** Whether the database says that of its files, and not what is wrong in a statement. */
export function isDamage(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof Fault) &&
    /^(IO|FATAL|INTERNAL|Serialization|Invalid) Error: /.test(error.message);
}

/** Whether the database has invalidated itself: only a new process can go on. */
export function isFatal(error: unknown): boolean {
  return error instanceof DuckError && error.is_fatal;
}

/** Whether a checkpoint can't be made while another transaction is open. */
export function isHeldBack(error: unknown): boolean {
  return error instanceof Error && error.message.includes("Cannot CHECKPOINT: there are other");
}

/** What is wrong with a disk that refused a write whole: it heals, and one may send again. */
export function diskRefusal(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : "";
  if (/No space left on device|Disk quota exceeded/.test(message)) return "the disk is full";
  return message.includes("Input/output error") ? "the disk fails" : undefined;
}

/** That as a `Fault` (unavailable); another error as it is. */
export function diskFault(error: unknown): unknown {
  const reason = diskRefusal(error);
  if (reason === undefined) return error;
  return new Fault("unavailable", `${reason}: send again later`, {
    retry_after_s: database_limits.disk_full_retry_s,
  });
}
