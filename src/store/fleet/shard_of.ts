// Which shard a data directory is of: kept in it, so that no other shard takes it for its own.
import { Fault } from "../../base/fault.ts";
import { shardName } from "../../model/fleet/shard.ts";
import { replaceFile } from "../folder.ts";

/** Throws a `Fault` (conflict) where the directory at `path` says that it is another shard's. */
export async function requireShardOf(path: string, no: number): Promise<void> {
  const kept = await shardOf(path);
  const own = shardName(no);
  if (kept === undefined || kept === own) return;
  const help = `mount the volume of ${own} there, or put back the data that were there`;
  throw new Fault("conflict", `${path} has the data of ${kept}, not of ${own}: ${help}`);
}

/** Keeps in the directory at `path` which shard it is of; one that says so stays as it is. */
export async function keepShardOf(path: string, no: number): Promise<void> {
  if (await shardOf(path) === undefined) await replaceFile(markPath(path), `${shardName(no)}\n`);
}

/** What the directory says; undefined where it was of no shard before, or of an older version's. */
async function shardOf(path: string): Promise<string | undefined> {
  try {
    return (await Deno.readTextFile(markPath(path))).trim();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function markPath(path: string): string {
  return `${path}/wattkeeper.shard`;
}
