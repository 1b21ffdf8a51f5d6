// Questions in SQL, each in a process of its own that holds what the asker may see, and no more.
import { concat } from "../../base/bytes.ts";
import type { Effects } from "../../base/effects.ts";
import type { OtherSelf } from "../../base/effects_self.ts";
import { Fault } from "../../base/fault.ts";
import { inTime } from "../../base/in_time.ts";
import { query_limits } from "../../model/query/limits.ts";
import type { ViewShape, Wanted } from "../../model/query/view.ts";
import type { Settings } from "../../model/setting.ts";
import { queriesPath } from "../../store/folder.ts";
import { libraryFolder, type ViewRows } from "../../store/query/sandbox.ts";
import type { Format } from "../../wire/format.ts";
import { memory_code, type Order, type Report, type Supply } from "./worker.ts";

/** A question, the views that there are for it, and the form of the answer. */
export type Question = {
  readonly sql: string;
  readonly format: Format;
  /** Of times without an offset, and of days. */
  readonly timezone: string;
  readonly views: readonly ViewShape[];
};

/** Reads what a question wants into files of a folder. */
export type Load = (
  wanted: readonly Wanted[],
  place: { readonly folder: string; readonly signal: AbortSignal },
) => Promise<readonly ViewRows[]>;

type Parts = {
  readonly effects: Pick<Effects, "sleep" | "startSelf">;
  readonly settings: Pick<Settings, "data_dir">;
};

/** Answers questions; how many at once is their caller's matter. */
export class Questions {
  readonly #parts: Parts;
  /** What a process that was killed left behind is of no use: it goes at the start. */
  readonly #cleared: Promise<void>;
  #folder: Promise<string> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    const old = queriesPath(parts.settings);
    this.#cleared = Deno.remove(old, { recursive: true }).catch(() => {});
  }

  /**
   * The bytes of an answer. Throws a `Fault`: invalid with what is wrong with the question, timeout
   * or too_large where it takes too long or too much. Ends at once when `signal` aborts.
   */
  async answer(
    question: Question,
    { load, signal }: { readonly load: Load; readonly signal: AbortSignal },
  ): Promise<Uint8Array<ArrayBuffer>> {
    signal.throwIfAborted();
    const { effects } = this.#parts;
    const parent = await (this.#folder ??= this.#makeFolder());
    const stop = new AbortController();
    const worker = effects.startSelf();
    const made = Deno.makeTempDir({ dir: parent });
    const running = made.then((folder) =>
      ask(worker, question, {
        load: (wanted) => load(wanted, { folder, signal: stop.signal }),
        folder,
      })
    );
    try {
      const wait_ms = query_limits.query_ms;
      if (await inTime(running, { wait_ms, effects, signal })) return await running;
      signal.throwIfAborted();
      throw new Fault("timeout", `the query took longer than ${wait_ms / 1000} s: ask for less`);
    } finally {
      stop.abort();
      await worker.end();
      // Until then, what is read for it may still be on its way into the folder.
      await Promise.allSettled([running]);
      await Deno.remove(await made, { recursive: true });
    }
  }

  async #makeFolder(): Promise<string> {
    await this.#cleared;
    const path = queriesPath(this.#parts.settings);
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
    return path;
  }
}

async function ask(
  worker: OtherSelf,
  question: Question,
  { load, folder }: {
    readonly load: (wanted: readonly Wanted[]) => Promise<readonly ViewRows[]>;
    readonly folder: string;
  },
): Promise<Uint8Array<ArrayBuffer>> {
  const order: Order = { ...question, library_folder: libraryFolder(), folder };
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  await worker.send({ json: order }).catch(() => {});
  for (;;) {
    const message = await worker.receive();
    if (message === undefined) throw ended(await worker.end());
    if ("bytes" in message) {
      bytes += message.bytes.length;
      if (bytes > query_limits.answer_bytes) throw new Fault("too_large", "the answer is too long");
      pieces.push(message.bytes);
      continue;
    }
    const report = message.json as Report;
    if ("fault" in report) throw new Fault(report.fault.code, report.fault.message);
    if ("rows" in report) return concat(pieces);
    const supply: Supply = { rows: await load(report.wanted) };
    await worker.send({ json: supply }).catch(() => {});
  }
}

/** Why a process ended before it said anything. */
function ended(code: number): Fault {
  if (code === memory_code) {
    const most = query_limits.process_bytes / 1024 / 1024;
    return new Fault("too_large", `the query takes more than ${most} MiB of memory: ask for less`);
  }
  return new Fault("invalid", "the query can't be run: it ended its process; ask in another way");
}
