// Imports of files that are sent to the service: each looked through and stored as a job.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import type { Project } from "../../model/plant/plant.ts";
import { isBusy } from "../../model/samples/import.ts";
import type { Database } from "../../store/database.ts";
import { type ImportFile, openImport } from "../../wire/import/import_file.ts";
import { askedSettings, inFields, tableOptions } from "../../wire/import/settings.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Log } from "../core/log.ts";
import { Loop } from "../core/loop.ts";
import { checkImport, type ImportCheck, refuseRepeats } from "./check.ts";
import { databaseTarget, fileSource, importFile, ratingsOf, tagNews } from "./import.ts";
import type { Ingest } from "./ingest.ts";
import {
  arrival,
  type ImportWay,
  newInfo,
  type RestoredFile,
  type SentFile,
  SentFiles,
  type SentImport,
  shortened,
} from "./sent_file.ts";
import { understandingOf } from "./understanding.ts";
import { import_limits } from "./limits.ts";

type Parts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly ingest: Ingest;
  readonly effects: Effects;
  readonly log: Log;
};

/** What is done with a file: it is looked through, and imported after that. */
type Work = "check" | "import";

/** What of a check an import needs. */
type Checked = Pick<ImportCheck, "rows" | "rejected_count"> & {
  /** What was checked, and how. */
  readonly key: string;
  readonly differing: number;
};

type Held = {
  info: SentImport;
  /** Undefined once it is imported. */
  file: SentFile | undefined;
  work: Work;
  checked: Checked | undefined;
  abort: AbortController;
  /** When something was last done with it, on the monotonic clock. */
  touched_ms: number;
};

/** Who sends a file, and what is said of it. */
type Sending = {
  readonly project_id: string;
  readonly token_id: string;
  readonly user_id: string | null;
  readonly name: string;
  /** Its size as announced. */
  readonly bytes: number;
  /** Whether the body is the first part of it alone. */
  readonly is_part: boolean;
};

/** Files outlive the process; what was found in them, and what became of their rows, does not. */
export class Imports {
  /** Removes the files that nobody goes on with. */
  readonly loop: Loop;
  readonly #parts: Parts;
  readonly #files: SentFiles;
  readonly #held = new Map<string, Held>();
  /** Those that wait or run, in the order of asking. */
  readonly #queue: Held[] = [];
  readonly #running = new Map<Held, Promise<void>>();
  #closed = false;

  private constructor(parts: Parts, files: SentFiles) {
    this.#parts = parts;
    this.#files = files;
    this.loop = new Loop({
      name: "removing files that nobody imports",
      effects: parts.effects,
      retry_ms: import_limits.retry_ms,
      turn: () => this.#sweep(),
    });
  }

  /** Takes over the files that a process before left. */
  static async open(
    parts: Parts,
    files: ConstructorParameters<typeof SentFiles>[0],
  ): Promise<Imports> {
    const sent = new SentFiles(files);
    const imports = new Imports(parts, sent);
    for (const restored of await sent.restore()) imports.#restore(restored);
    return imports;
  }

  #restore({ note: { token_id: _, ...said }, file, changed_ms }: RestoredFile): void {
    const { effects } = this.#parts;
    const info = newInfo({ ...said, arrived_bytes: file.arrived });
    const age_ms = Math.max(0, effects.now_us() / 1000 - changed_ms);
    this.#hold(info, file, effects.monotonic_ms() - age_ms);
  }

  #hold(info: SentImport, file: SentFile, touched_ms: number): void {
    const abort = new AbortController();
    const held = { info, file, work: "check", checked: undefined, abort, touched_ms } as const;
    this.#held.set(info.id, { ...held });
    this.loop.wake();
  }

  /** Takes a file as it arrives. Throws a `Fault` as `SentFiles.keep` does. */
  async receive(sending: Sending, body: AsyncIterable<Uint8Array>): Promise<SentImport> {
    const { effects } = this.#parts;
    const { is_part, token_id, ...said } = sending;
    const own = { ...said, id: newId(effects), created_us: effects.now_us() };
    const file = await this.#files.keep({ note: { ...own, token_id }, is_part }, body);
    const info = newInfo({ ...own, bytes: file.bytes, arrived_bytes: file.arrived });
    this.#hold(info, file, effects.monotonic_ms());
    return info;
  }

  /**
   * Takes more of a file, from an offset on, as it arrives. Throws a `Fault`: not_found, conflict
   * where it is whole or another part comes next, and as `SentFiles.append` does.
   */
  async append(
    { project_id, id, offset }: {
      readonly project_id: string;
      readonly id: string;
      readonly offset: number;
    },
    body: AsyncIterable<Uint8Array>,
  ): Promise<SentImport> {
    const held = this.#find(project_id, id);
    const { file } = held;
    if (file === undefined || held.info.state !== "sending") {
      throw new Fault("conflict", "the file has arrived as a whole: check or import it");
    }
    try {
      await this.#files.append(file, offset, body);
    } finally {
      held.info = { ...held.info, ...arrival(held.info.bytes, file.arrived) };
      held.touched_ms = this.#parts.effects.monotonic_ms();
    }
    return held.info;
  }

  /** Those of a project, the oldest first. */
  list(project_id: string): readonly SentImport[] {
    return [...this.#held.values()].map(({ info }) => info)
      .filter((it) => it.project_id === project_id);
  }

  /** One of a project. Throws a `Fault` (not_found). */
  get(project_id: string, id: string): SentImport {
    return this.#find(project_id, id).info;
  }

  /**
   * Begins to look through a file, or to import it. Throws a `Fault`: not_found, or conflict where
   * something is done with it, or it is imported.
   */
  start(
    { project_id, id, work, way }: {
      readonly project_id: string;
      readonly id: string;
      readonly work: Work;
      readonly way: ImportWay;
    },
  ): SentImport {
    const held = this.#find(project_id, id);
    if (this.#closed) throw new Fault("unavailable", stopped);
    if (isBusy(held.info.state)) {
      throw new Fault("conflict", `the file is in work (${held.info.state}): cancel that first`);
    }
    const { state, arrived_bytes, bytes } = held.info;
    if (state === "sending") {
      throw new Fault(
        "conflict",
        `${arrived_bytes} of ${bytes} bytes have arrived: send the others first, PATCH with ` +
          `offset=${arrived_bytes}`,
      );
    }
    if (held.file === undefined) {
      throw new Fault("conflict", "the file was imported, and is not kept: send it again");
    }
    held.work = work;
    held.abort = new AbortController();
    const cleared = {
      share: 0,
      detail: null,
      refusal: null,
      asked: [],
      report: null,
      is_whole: false,
    };
    held.info = { ...held.info, ...cleared, state: "waiting", way };
    this.#queue.push(held);
    this.#next();
    return held.info;
  }

  /** Stops what is done with a file; what is stored by then stays. Throws a `Fault` (not_found). */
  async cancel(project_id: string, id: string): Promise<SentImport> {
    const held = this.#find(project_id, id);
    await this.#stop(held, "cancelled: what was stored stays, and is a duplicate the next time");
    return held.info;
  }

  /** Removes a file, and gives what it was. Throws a `Fault` (not_found). */
  async remove(project_id: string, id: string): Promise<SentImport> {
    const held = this.#find(project_id, id);
    const { info } = held;
    await this.#stop(held, "removed");
    await this.#drop(held);
    return info;
  }

  /** Resolves when nothing waits nor runs. */
  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Stops everything; the files stay. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#held.values()].map((held) => this.#stop(held, stopped)));
    await this.settle();
  }

  #find(project_id: string, id: string): Held {
    const held = this.#held.get(id);
    if (held?.info.project_id === project_id) return held;
    throw new Fault(
      "not_found",
      "there is no import with this ID: a file is kept for a day. Send it again",
    );
  }

  async #stop(held: Held, reason: string): Promise<void> {
    if (!isBusy(held.info.state)) return;
    held.abort.abort(reason);
    const at = this.#queue.indexOf(held);
    if (at >= 0) {
      this.#queue.splice(at, 1);
      this.#end(held, { state: "cancelled", detail: reason });
    }
    await this.#running.get(held);
  }

  /** Begins what may begin: one of a project at a time, and few in all. */
  #next(): void {
    while (this.#running.size < import_limits.jobs) {
      const busy = new Set([...this.#running.keys()].map(({ info }) => info.project_id));
      const at = this.#queue.findIndex(({ info }) => !busy.has(info.project_id));
      if (at < 0) return;
      const [held] = this.#queue.splice(at, 1);
      const run = this.#run(held).finally(() => {
        this.#running.delete(held);
        this.#next();
      });
      this.#running.set(held, run);
    }
  }

  /** Does what is wanted. Never throws: what goes wrong is told of the file. */
  async #run(held: Held): Promise<void> {
    try {
      held.info = { ...held.info, state: "checking" };
      const project = this.#parts.catalog.project(held.info.project_id);
      if (project === undefined) throw new Fault("not_found", "the project is gone");
      await this.#do(held, project);
    } catch (error) {
      const { signal } = held.abort;
      if (signal.aborted) this.#end(held, { state: "cancelled", detail: signal.reason });
      else if (error instanceof Fault) this.#refuse(held, error);
      else {
        this.#parts.log.error("the import {id} failed: {error}", { id: held.info.id, error });
        this.#end(held, { state: "failed", detail: "a fault of the service: its log tells more" });
      }
    }
  }

  async #do(held: Held, project: Project): Promise<void> {
    const { work, abort: { signal } } = held;
    const file = await this.#open(held, project);
    const key = JSON.stringify([held.info.way, project.timezone]);
    if (work === "check" || held.checked?.key !== key) await this.#check(held, { file, key });
    if (work === "check") return this.#end(held, { state: "checked", share: 1 });
    const { differing, ...check } = held.checked!;
    held.info = { ...held.info, state: "importing", share: 0 };
    const report = await importFile(file, databaseTarget(this.#parts, project), {
      ...{ check, in_order: true, signal },
      onStored: (_, report) => Promise.resolve(void (held.info = { ...held.info, report })),
    });
    held.info = { ...held.info, report };
    signal.throwIfAborted();
    const is_whole = report.rejected_count === 0 &&
      (differing === 0 || held.info.way.repeats === "last");
    await this.#files.remove(held.file!);
    held.file = undefined;
    this.#end(held, { state: "imported", share: 1, is_whole });
  }

  #open({ info, file }: Held, project: Project): Promise<ImportFile> {
    const { way: { format, lane = "signal", ...said }, bytes, id } = info;
    const onRead = (offset: number) => {
      const held = this.#held.get(id);
      if (held) held.info = { ...held.info, share: Math.min(1, offset / bytes) };
    };
    return openImport(fileSource(file!.path, onRead), {
      ...{ format, lane, sheet: said.sheet, written_at: said.written_at },
      held_bytes: import_limits.held_file_bytes,
      table: { ...tableOptions(said), home_timezone: project.timezone },
    });
  }

  /** Looks a file through. Throws where what is in it contradicts itself. */
  async #check(
    held: Held,
    { file, key }: { readonly file: ImportFile; readonly key: string },
  ): Promise<void> {
    const { info: { way, project_id }, abort: { signal } } = held;
    held.checked = undefined;
    held.info = { ...held.info, understood: null };
    const project = this.#parts.catalog.project(project_id)!;
    const { foresee } = databaseTarget(this.#parts, project);
    const rated = ratingsOf(this.#parts.catalog, project);
    const check = await checkImport(file, () => signal.throwIfAborted(), { foresee, rated });
    const news = tagNews(this.#parts.catalog, project);
    const understood = await understandingOf(file, check, { said: way, news });
    held.info = { ...held.info, understood: shortened(understood) };
    if (way.repeats !== "last") refuseRepeats(file, check);
    const { rows, rejected_count, repeats: { differing } } = check;
    held.checked = { rows, rejected_count, differing, key };
  }

  #refuse(held: Held, { message, told }: Fault): void {
    const asked = askedSettings(message);
    const refusal = told ?? null;
    this.#end(held, { state: "refused", detail: inFields(message), refusal, asked });
  }

  #end(held: Held, change: Partial<SentImport>): void {
    held.info = { ...held.info, ...change };
    held.touched_ms = this.#parts.effects.monotonic_ms();
    this.loop.wake();
  }

  /** Removes what waits too long, and reports beyond their number; gives when to look again. */
  async #sweep(): Promise<number> {
    const { keep_ms, reports } = import_limits;
    const now_ms = this.#parts.effects.monotonic_ms();
    const idle = [...this.#held.values()].filter(({ info }) => !isBusy(info.state));
    const old = idle.filter(({ touched_ms }) => now_ms - touched_ms >= keep_ms);
    const told = idle.filter(({ file }) => file === undefined);
    for (const held of new Set([...old, ...told.slice(0, -reports)])) await this.#drop(held);
    const oldest_ms = Math.min(...[...this.#held.values()].map(({ touched_ms }) => touched_ms));
    return oldest_ms === Infinity ? Infinity : Math.max(1, oldest_ms + keep_ms - now_ms);
  }

  async #drop(held: Held): Promise<void> {
    this.#held.delete(held.info.id);
    if (held.file) await this.#files.remove(held.file);
  }
}

const stopped = "the service was stopped: what was stored stays, and is a duplicate the next time";
