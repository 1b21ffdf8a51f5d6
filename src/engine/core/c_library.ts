// Calls the C library: for files and processes that the runtime keeps from all but `--allow-all`,
// and for its heap.

/** Its calls; `open` takes a mode too, but not for reading. */
const calls = {
  open: { parameters: ["buffer", "i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
  opendir: { parameters: ["buffer"], result: "pointer" },
  readdir: { parameters: ["pointer"], result: "pointer" },
  closedir: { parameters: ["pointer"], result: "i32" },
  kill: { parameters: ["i32", "i32"], result: "i32" },
  system: { parameters: ["buffer"], result: "i32", nonblocking: true },
  malloc_trim: { parameters: ["usize"], result: "i32", optional: true },
} as const;

let library: Deno.DynamicLibrary<typeof calls> | undefined;

function c(): Deno.DynamicLibrary<typeof calls>["symbols"] {
  return (library ??= Deno.dlopen("libc.so.6", calls)).symbols;
}

/** Gives free memory back to the system; does nothing beside a C library of another kind. */
export function trimHeap(): void {
  try {
    c().malloc_trim?.(0n);
  } catch {
    // Nothing is lost: it is a matter of memory alone.
  }
}

/** Kills a process of this machine, if it has not ended. */
export function killProcess(pid: number): void {
  c().kill(pid, 9);
}

/** Runs a command of a shell, whose output is this process's own; gives its exit code. */
export async function runShell(command: string): Promise<number> {
  const status = await c().system(textZ(command));
  // What a signal ended has no code of its own.
  return (status & 0x7f) === 0 ? status >> 8 : 128 + (status & 0x7f);
}

/** The text of a small file of `/proc` or `/sys`; throws where it can't be read. */
export async function kernelText(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    return readText(path);
  }
}

/** How many files and folders a folder has; throws as `kernelText` does. */
export function kernelEntries(path: string): number {
  try {
    return Array.from(Deno.readDirSync(path)).length;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    return countEntries(path);
  }
}

function readText(path: string): string {
  const file = c().open(textZ(path), 0);
  if (file < 0) throw new Deno.errors.NotFound(path);
  try {
    const decoder = new TextDecoder();
    const piece = new Uint8Array(4096);
    let text = "";
    for (let size = 1; size > 0;) {
      size = Number(c().read(file, piece, BigInt(piece.length)));
      if (size < 0) throw new Deno.errors.BadResource(path);
      text += decoder.decode(piece.subarray(0, size), { stream: size > 0 });
    }
    return text;
  } finally {
    c().close(file);
  }
}

function countEntries(path: string): number {
  const folder = c().opendir(textZ(path));
  if (folder === null) throw new Deno.errors.NotFound(path);
  let count = 0;
  while (c().readdir(folder) !== null) count++;
  c().closedir(folder);
  // It and the folder above it are listed, too.
  return count - 2;
}

/** As the C library takes a text. */
function textZ(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${text}\0`);
}
