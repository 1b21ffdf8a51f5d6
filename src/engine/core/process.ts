// What this process takes of the machine, and how it gives free memory back.
import { cpuUsage } from "node:process";
import { kernelText } from "./kernel_file.ts";

/** Processor time and memory of a process. */
export type OwnProcess = {
  /** Processor time until now, in milliseconds. */
  readonly cpu_ms: () => number;
  /** Resident memory now, in MiB. */
  readonly memory_mb: () => number;
  /** Frees what nothing refers to any more, and gives back what the runtime keeps for later. */
  readonly collectGarbage: () => void;
  /** Gives back what the C library keeps for later, and code that only the start ran. */
  readonly trim: () => Promise<void>;
};

/** This process. */
export const own_process: OwnProcess = {
  cpu_ms() {
    const { user, system } = cpuUsage();
    return (user + system) / 1000;
  },
  memory_mb: () => Deno.memoryUsage().rss / 1024 ** 2,
  collectGarbage: () => collect?.({ type: "major", flavor: "last-resort" }),
  trim,
};

type Collect = (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void;

/** V8's own, where the program was started with `--expose-gc`. */
const collect: Collect | undefined = Reflect.get(globalThis, "gc");

const calls = {
  malloc_trim: { parameters: ["usize"], result: "i32" },
  madvise: { parameters: ["usize", "usize", "i32"], result: "i32" },
} as const;

/** The system keeps what is in a file at hand, and maps it again where it is used. */
const madv_dontneed = 4;

/** Executable memory that is a file's: nobody has written to it. */
const code = /^([0-9a-f]+)-([0-9a-f]+) r-xp \S+ \S+ [1-9]\d* +\//gm;

/** Does nothing beside a C library of another kind than GNU's. */
async function trim(): Promise<void> {
  let library: Deno.DynamicLibrary<typeof calls> | undefined;
  try {
    library = Deno.dlopen("libc.so.6", calls);
    library.symbols.malloc_trim(0n);
    for (const [, from, to] of (await kernelText("/proc/self/maps")).matchAll(code)) {
      const at = BigInt(`0x${from}`);
      library.symbols.madvise(at, BigInt(`0x${to}`) - at, madv_dontneed);
    }
  } catch {
    // Nothing is lost: it is a matter of memory alone.
  } finally {
    library?.close();
  }
}
