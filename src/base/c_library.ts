// Calls the C library: for files and processes that the runtime keeps from all but `--allow-all`,
// for its heap, and for what long work must know of the runtime's loop.

/** Its calls; `open` takes a mode too, but not for reading. */
const calls = {
  usleep: { parameters: ["u32"], result: "i32", nonblocking: true },
  // Older ones than glibc 2.30 have none.
  gettid: { parameters: [], result: "i32", optional: true },
  poll: { parameters: ["buffer", "u64", "i32"], result: "i32" },
  readlink: { parameters: ["buffer", "buffer", "usize"], result: "isize" },
  open: { parameters: ["buffer", "i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
  fcntl: { parameters: ["i32", "i32", "buffer"], result: "i32" },
  opendir: { parameters: ["buffer"], result: "pointer" },
  readdir: { parameters: ["pointer"], result: "pointer" },
  closedir: { parameters: ["pointer"], result: "i32" },
  kill: { parameters: ["i32", "i32"], result: "i32" },
  posix_spawnattr_init: { parameters: ["buffer"], result: "i32" },
  posix_spawnattr_setflags: { parameters: ["buffer", "i16"], result: "i32" },
  posix_spawnattr_destroy: { parameters: ["buffer"], result: "i32" },
  posix_spawnp: {
    parameters: ["buffer", "buffer", "pointer", "buffer", "buffer", "pointer"],
    result: "i32",
  },
  environ: { type: "pointer" },
  waitpid: { parameters: ["i32", "buffer", "i32"], result: "i32", nonblocking: true },
  clock_gettime: { parameters: ["i32", "buffer"], result: "i32" },
  malloc_trim: { parameters: ["usize"], result: "i32", optional: true },
} as const;

let library: Deno.DynamicLibrary<typeof calls> | undefined;

function c(): Deno.DynamicLibrary<typeof calls>["symbols"] {
  return (library ??= Deno.dlopen("libc.so.6", calls)).symbols;
}

/** Resolves when another thread has waited for so long; throws where the library is another one. */
export async function waitBeside(wait_us: number): Promise<void> {
  await c().usleep(wait_us);
}

/**
 * Whether anything has come for the runtime's loop that it has not seen yet: on a socket, from
 * another thread. Undefined where nobody can tell: beside the main thread, or on another system.
 */
export function hasNews(): boolean | undefined {
  events ??= loopEvents();
  // It is asked whether it could be read at once, which takes nothing out of it.
  return events ? c().poll(events, 1n, 0) > 0 : undefined;
}

/** What `poll` takes: the file that the main thread's loop waits for, and what would be news. */
let events: Int32Array<ArrayBuffer> | false | undefined;

const readable = 1;

/** The first file of its kind that the process opened is of the main thread's loop. */
function loopEvents(): NonNullable<typeof events> {
  const kind = textZ("anon_inode:[eventpoll]").subarray(0, -1);
  const found = new Uint8Array(kind.length + 1);
  try {
    if (c().gettid?.() !== Deno.pid) return false;
    for (let file = 0; file < first_files; file++) {
      const length = c().readlink(textZ(`/proc/self/fd/${file}`), found, BigInt(found.length));
      const is_it = Number(length) === kind.length && kind.every((byte, i) => byte === found[i]);
      if (is_it) return Int32Array.of(file, readable);
    }
  } catch {
    // The library is of another kind.
  }
  return false;
}

const first_files = 64;

/** Gives free memory back to the system; does nothing beside a C library of another kind. */
export function trimHeap(): void {
  try {
    c().malloc_trim?.(0n);
  } catch {
    // Nothing is lost: it is a matter of memory alone.
  }
}

/**
 * Whether another process has locked a file so that this one can't have it to itself; false where
 * nobody can tell. It gives up the locks that this process has of it, as to close any file does.
 */
export function isLockedElsewhere(path: string): boolean {
  try {
    const file = c().open(textZ(path), 0);
    if (file < 0) return false;
    // All of the file: its kind in the first word, then from where, how far, and whose it is.
    const lock = new Int16Array(16);
    lock[0] = lock_kinds.exclusive;
    const is_known = c().fcntl(file, lock_ask, lock) === 0;
    c().close(file);
    return is_known && lock[0] !== lock_kinds.none;
  } catch {
    return false;
  }
}

const lock_ask = 5;
const lock_kinds = { exclusive: 1, none: 2 } as const;

/** Kills a process of this machine, if it has not ended. */
export function killProcess(pid: number): void {
  c().kill(pid, 9);
}

/** A command of a shell, with everything that it started. */
export type ShellRun = {
  /** Its exit code, once it has ended; what it started may go on. */
  readonly ended: Promise<number>;
  /** Kills all of it that is left; says whether anything is. */
  readonly kill: () => boolean;
};

/** Starts a command of a shell in a process group of its own; its output is this process's own. */
export function startShell(command: string): ShellRun {
  const library = c();
  const [pid, attributes] = [new Int32Array(1), new Uint8Array(spawn_bytes)];
  const words = ["sh", "-c", command].map(textZ);
  const pointers = words.map((it) => Deno.UnsafePointer.value(Deno.UnsafePointer.of(it)));
  // A group of 0 is that of the new process's own number, as initialized.
  library.posix_spawnattr_init(attributes);
  library.posix_spawnattr_setflags(attributes, spawn_in_group);
  const argv = new BigUint64Array([...pointers, 0n]);
  const fault = library.posix_spawnp(pid, words[0], null, attributes, argv, library.environ);
  library.posix_spawnattr_destroy(attributes);
  if (fault !== 0) throw new Error(`no shell can be started: error ${fault} of the system`);
  return { ended: endOf(pid[0]), kill: () => library.kill(-pid[0], 9) === 0 };
}

const spawn_bytes = 512;
const spawn_in_group = 2;

async function endOf(pid: number): Promise<number> {
  const status = new Int32Array(1);
  while (await c().waitpid(pid, status, 0) !== pid) { /* a signal woke it */ }
  // What a signal ended has no code of its own.
  return (status[0] & 0x7f) === 0 ? status[0] >> 8 : 128 + (status[0] & 0x7f);
}

/**
 * Milliseconds since the machine started, those in which it was suspended too, which no other clock
 * counts; undefined where the system does not tell.
 */
export function sinceStartMs(): number | undefined {
  const time = new BigInt64Array(2);
  try {
    if (c().clock_gettime(clock_since_start, time) !== 0) return undefined;
  } catch {
    return undefined;
  }
  return Number(time[0]) * 1000 + Number(time[1]) / 1e6;
}

const clock_since_start = 7;

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
