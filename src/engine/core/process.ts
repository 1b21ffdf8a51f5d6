// What this process takes of the machine, and how it gives free memory back.
import { cpuUsage } from "node:process";

/** Processor time and memory of a process. */
export type OwnProcess = {
  /** Processor time until now, in milliseconds. */
  readonly cpu_ms: () => number;
  /** Resident memory now, in MiB. */
  readonly memory_mb: () => number;
  /** Frees what nothing refers to any more, and gives back what the runtime keeps for later. */
  readonly collectGarbage: () => void;
  /** Gives back what the C library keeps for later. */
  readonly trimHeap: () => void;
};

/** This process. */
export const own_process: OwnProcess = {
  cpu_ms() {
    const { user, system } = cpuUsage();
    return (user + system) / 1000;
  },
  memory_mb: () => Deno.memoryUsage().rss / 1024 ** 2,
  collectGarbage: () => collect?.({ type: "major", flavor: "last-resort" }),
  trimHeap,
};

type Collect = (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void;

/** V8's own, where the program was started with `--expose-gc`. */
const collect: Collect | undefined = Reflect.get(globalThis, "gc");

const call = { malloc_trim: { parameters: ["usize"], result: "i32" } } as const;

/** A C library of another kind than GNU's has no such call, and keeps less. */
function trimHeap(): void {
  let library: Deno.DynamicLibrary<typeof call> | undefined;
  try {
    library = Deno.dlopen("libc.so.6", call);
    library.symbols.malloc_trim(0n);
  } catch {
    // Nothing is lost: it is a matter of memory alone.
  } finally {
    library?.close();
  }
}
