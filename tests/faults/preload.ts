// The library that is preloaded into the program: built where a compiler is, ordered by a file.

/** Calls to files that can be told apart, as in faulty.c. */
const calls = { write: 1, sync: 2, read: 4, name: 8 } as const;
/** What can happen to one; a torn write ends the process in its middle. */
const acts = { fail: 1, short: 2, kill: 3, torn: 4 } as const;

export const errors = { EIO: 5, ENOSPC: 28 } as const;

/** What happens from now on. */
export type Order = {
  readonly calls: readonly (keyof typeof calls)[];
  readonly act: keyof typeof acts;
  readonly error?: keyof typeof errors;
  /** Which matching calls: from this one, counted from 1, so many. */
  readonly from?: number;
  readonly count?: number;
  /** Whose path is like this (glob). */
  readonly files: string;
};

const pattern_bytes = 192;
const words = 8;
const order_at = 8;

/** The compiled library; undefined, with the reason told, where it can't be built. */
export async function buildLibrary(tell: (text: string) => void): Promise<string | undefined> {
  if (Deno.build.os !== "linux") return void tell("faults of calls are known on Linux alone");
  const library = `${await Deno.makeTempDir()}/faulty.so`;
  const source = new URL("./faulty.c", import.meta.url).pathname;
  const args = ["-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"];
  try {
    const { success, stderr } = await new Deno.Command("cc", { args }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return library;
  } catch (error) {
    return void tell(`no C compiler can be used: ${(error as Error).message}`);
  }
}

/** The orders of one world's processes. */
export class Preload {
  /** What a process is started with. */
  readonly env: Readonly<Record<string, string>>;
  readonly #file: Deno.FsFile;

  constructor(library: string) {
    const path = Deno.makeTempFileSync();
    this.env = { LD_PRELOAD: library, FAULTS_FILE: path };
    Deno.writeFileSync(path, new Uint8Array(words * 8 + pattern_bytes));
    this.#file = Deno.openSync(path, { read: true, write: true });
  }

  /** Lets calls meet a fate from now on. */
  give({ calls: which, act, error = "EIO", from = 1, count = 1, files }: Order): void {
    const pattern = new Uint8Array(pattern_bytes);
    new TextEncoder().encodeInto(files, pattern.subarray(0, -1));
    const mask = which.reduce((mask, call) => mask | calls[call], 0);
    this.clear();
    this.#put(words * 8, pattern);
    this.#put(order_at + 8, words64([acts[act], errors[error], from, count, 0, 0]));
    this.#put(order_at, words64([mask]));
  }

  /** Lets all calls be. */
  clear(): void {
    this.#put(order_at, words64([0]));
  }

  /** How many calls the last order met, and to how many it happened. */
  met(): { readonly seen: number; readonly done: number } {
    const bytes = new BigInt64Array(words);
    this.#file.seekSync(0, Deno.SeekMode.Start);
    this.#file.readSync(new Uint8Array(bytes.buffer));
    return { seen: Number(bytes[6]), done: Number(bytes[7]) };
  }

  /** Sets the wall clock of the processes so far from that of the machine. */
  setClock(step_s: number): void {
    this.#put(0, words64([step_s]));
  }

  close(): void {
    this.#file.close();
    Deno.removeSync(this.env.FAULTS_FILE);
  }

  #put(at: number, bytes: Uint8Array): void {
    this.#file.seekSync(at, Deno.SeekMode.Start);
    this.#file.writeSync(bytes);
  }
}

function words64(values: readonly number[]): Uint8Array {
  return new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
}
