// What this process takes of the machine, and how it gives free memory back.
import { cpuUsage } from "node:process";
import { trimHeap } from "../../base/c_library.ts";

/** Processor time and memory of a process. */
export type OwnProcess = {
  /** Processor time until now, in milliseconds. */
  readonly cpu_ms: () => number;
  /** Resident memory now, in MiB. */
  readonly memory_mb: () => number;
  /**
   * Frees what nothing refers to any more. With `and_shrinks` the room that the heap keeps for more
   * is given back, too: 30 MB after a start. That takes twice as long.
   */
  readonly collectGarbage: (options: { readonly and_shrinks: boolean }) => void;
  /** Gives back what the C library keeps for later. */
  readonly trim: () => void;
};

/** This process. */
export const own_process: OwnProcess = {
  cpu_ms() {
    const { user, system } = cpuUsage();
    return (user + system) / 1000;
  },
  memory_mb: () => Deno.memoryUsage().rss / 1024 ** 2,
  collectGarbage: ({ and_shrinks }) =>
    collect?.({ type: "major", flavor: and_shrinks ? "last-resort" : "regular" }),
  trim: trimHeap,
};

type Collect = (
  options: { readonly type: "major"; readonly flavor: "regular" | "last-resort" },
) => void;

/** V8's own, where the program was started with `--expose-gc`. */
const collect: Collect | undefined = Reflect.get(globalThis, "gc");
