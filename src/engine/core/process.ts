// What this process takes of the machine, and how it gives free memory back.
import { cpuUsage } from "node:process";
import { trimHeap } from "./c_library.ts";

/** Processor time and memory of a process. */
export type OwnProcess = {
  /** Processor time until now, in milliseconds. */
  readonly cpu_ms: () => number;
  /** Resident memory now, in MiB. */
  readonly memory_mb: () => number;
  /** Frees what nothing refers to any more. */
  readonly collectGarbage: () => void;
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
  collectGarbage: () => collect?.({ type: "major" }),
  trim: trimHeap,
};

type Collect = (options: { readonly type: "major" }) => void;

/** V8's own, where the program was started with `--expose-gc`. */
const collect: Collect | undefined = Reflect.get(globalThis, "gc");
