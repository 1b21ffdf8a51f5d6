// What the machine gives: memory, free disk, open files.
import { statfs } from "node:fs/promises";

/**
 * Memory that this process may use in MiB: the machine's, or its container's where that is less.
 */
export async function memoryMb(): Promise<number> {
  const machine = Deno.systemMemoryInfo().total;
  const group = Math.min(
    await numberIn("/sys/fs/cgroup/memory.max"),
    await numberIn("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
  );
  return Math.floor(Math.min(machine, group) / 1024 / 1024);
}

/** The database's share: the process can grow to three times its limit. */
export function databaseMemoryMb(memory_mb: number): number {
  return Math.max(256, Math.floor((memory_mb - 400) / 3));
}

/** A disk's bytes: all, and those that an ordinary user may still write. */
export type DiskSpace = { readonly total_bytes: number; readonly free_bytes: number };

/** The space of the disk that holds `path`. */
export async function diskSpace(path: string): Promise<DiskSpace> {
  const { blocks, bavail, bsize } = await statfs(path);
  return { total_bytes: blocks * bsize, free_bytes: bavail * bsize };
}

/** Bytes that an ordinary user may still write on the disk that holds `path`. */
export async function freeBytes(path: string): Promise<number> {
  return (await diskSpace(path)).free_bytes;
}

/** How many files this process has open and may have open; null where it is not told. */
export async function openFiles(): Promise<{ used: number; allowed: number } | null> {
  try {
    const table = await Deno.readTextFile("/proc/self/limits");
    const allowed = Number(/^Max open files\s+(\d+)/m.exec(table)?.[1] ?? Infinity);
    const used = Array.from(Deno.readDirSync("/proc/self/fd")).length;
    return { used, allowed };
  } catch {
    return null;
  }
}

/** A file of one number; Infinity when it is missing or says `max`. */
async function numberIn(path: string): Promise<number> {
  try {
    const text = (await Deno.readTextFile(path)).trim();
    return text === "max" ? Infinity : Number(text);
  } catch {
    return Infinity;
  }
}
