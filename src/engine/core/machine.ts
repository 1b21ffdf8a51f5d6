// What the machine gives: memory, free disk, open files.
import { kernelEntries, kernelText } from "../../base/c_library.ts";

/**
 * Memory that this process may use in MiB: the machine's, or the least that any of the nested
 * groups it is in allows, as of a container or a service. `root` is where a test has its files.
 */
export async function memoryMb(root = ""): Promise<number> {
  const groups = (await Promise.all(controllers.map((it) => limitsOf(root, it)))).flat();
  return Math.floor(Math.min(Deno.systemMemoryInfo().total, ...groups) / 1024 / 1024);
}

/** The two generations of control groups: their line in a process's list, and where they lie. */
const controllers = [
  { line: /^0::(.*)$/m, at: "/sys/fs/cgroup", files: ["memory.max", "memory.high"] },
  {
    line: /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m,
    at: "/sys/fs/cgroup/memory",
    files: ["memory.limit_in_bytes"],
  },
] as const;

/** What the process's own group and all around it allow, in bytes. */
async function limitsOf(
  root: string,
  { line, at, files }: typeof controllers[number],
): Promise<readonly number[]> {
  const list = await kernelText(`${root}/proc/self/cgroup`).catch(() => "");
  const names = (line.exec(list)?.[1] ?? "").split("/").filter((name) => name !== "");
  // In a container, the path may be of the machine outside: the container's own limit is on top.
  const folders = [...names.keys(), names.length].map((depth) => names.slice(0, depth).join("/"));
  const paths = folders.flatMap((folder) => files.map((file) => `${root}${at}/${folder}/${file}`));
  return await Promise.all(paths.map(numberIn));
}

/** The database's share: the process can grow to three times its limit. */
export function databaseMemoryMb(memory_mb: number): number {
  return Math.max(256, Math.floor((memory_mb - 400) / 3));
}

/** A disk's bytes: all, and those that an ordinary user may still write. */
export type DiskSpace = { readonly total_bytes: number; readonly free_bytes: number };

/** The space of the disk that holds `path`. */
export async function diskSpace(path: string): Promise<DiskSpace> {
  const { statfs } = await import("node:fs/promises");
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
    const table = await kernelText("/proc/self/limits");
    const allowed = Number(/^Max open files\s+(\d+)/m.exec(table)?.[1] ?? Infinity);
    const used = kernelEntries("/proc/self/fd");
    return { used, allowed };
  } catch {
    return null;
  }
}

/**
 * How long processors worked for a process until now, in ms; undefined where that is not told.
 * `root` is where a test has its files.
 */
export async function processorMs(pid: number, root = ""): Promise<number | undefined> {
  try {
    const text = await kernelText(`${root}/proc/${pid}/stat`);
    // The second word, a name in parentheses, may hold anything; these are the 14th and the 15th.
    const [user, system] = text.slice(text.lastIndexOf(")")).split(" ").slice(12, 14).map(Number);
    return (user + system) * tick_ms;
  } catch {
    return undefined;
  }
}

/** What the kernel counts in, on every machine. */
const tick_ms = 10;

/** A file of one number; Infinity when it is missing or says `max`. */
async function numberIn(path: string): Promise<number> {
  try {
    const text = (await kernelText(path)).trim();
    return text === "max" ? Infinity : Number(text);
  } catch {
    return Infinity;
  }
}
