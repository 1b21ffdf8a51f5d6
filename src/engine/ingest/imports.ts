// Imports of files that are sent to the service: each looked through and stored as a job.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { newId } from "../../base/id.ts";
import type { Project } from "../../model/plant/plant.ts";
import { type ImportState, isBusy } from "../../model/samples/import.ts";
import type { Database } from "../../store/database.ts";
import type { IngestLane } from "../../wire/decode.ts";
import { type ImportFile, type ImportFormat, openImport } from "../../wire/import/import_file.ts";
import {
  askedSettings,
  inFields,
  tableOptions,
  type TableSettings,
} from "../../wire/import/settings.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Log } from "../core/log.ts";
import { Loop } from "../core/loop.ts";
import { checkImport, type ImportCheck, refuseRepeats } from "./check.ts";
import { databaseTarget, fileSource, importFile, type ImportReport, tagNews } from "./import.ts";
import type { Ingest } from "./ingest.ts";
import { type SentFile, SentFiles } from "./sent_file.ts";
import { type Understanding, understandingOf } from "./understanding.ts";
import { import_limits } from "./limits.ts";

type Parts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly ingest: Ingest;
  readonly effects: Effects;
  readonly log: Log;
};

/** How a file is to be read. */
export type ImportWay = TableSettings & {
  readonly format?: ImportFormat;
  readonly lane?: IngestLane;
};

/** What is done with a file: it is looked through, and imported after that. */
type Work = "check" | "import";

/** A file and what became of it so far. */
export type SentImport = {
  readonly id: string;
  readonly project_id: string;
  /** The name that its sender gave. */
  readonly name: string;
  readonly bytes: number;
  readonly user_id: string | null;
  readonly created_us: number;
  readonly state: ImportState;
  /** Of the file that is read, 0 to 1. */
  readonly share: number;
  readonly way: ImportWay;
  /** Why it was refused, failed or was cancelled, and the settings that a refusal asks for. */
  readonly detail: string | null;
  readonly asked: readonly string[];
  readonly understood: ShownUnderstanding | null;
  readonly report: ImportReport | null;
  /** Whether every value is stored, or was left out on purpose. */
  readonly is_whole: boolean;
};

/** The same within the bounds of an answer; `more_columns` says how many there are beside. */
export type ShownUnderstanding = Understanding & { readonly more_columns: number };

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
};

/** In memory, with the files on the disk: a restart forgets them, and what is stored is stored. */
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

  /** Removes what a process before left behind. */
  static async open(
    parts: Parts,
    files: ConstructorParameters<typeof SentFiles>[0],
  ): Promise<Imports> {
    const sent = new SentFiles(files);
    await sent.clear();
    return new Imports(parts, sent);
  }

  /** Takes a file as it arrives. Throws a `Fault` as `SentFiles.keep` does. */
  async receive(sending: Sending, body: AsyncIterable<Uint8Array>): Promise<SentImport> {
    const { effects } = this.#parts;
    const { project_id, user_id, token_id, name } = sending;
    const id = newId(effects);
    const file = await this.#files.keep({ name: id, token_id, bytes: sending.bytes }, body);
    const info: SentImport = {
      ...{ id, project_id, name, user_id, bytes: file.bytes, created_us: effects.now_us() },
      ...{ state: "sent", share: 0, way: {}, detail: null, asked: [] },
      ...{ understood: null, report: null, is_whole: false },
    };
    const touched_ms = effects.monotonic_ms();
    const abort = new AbortController();
    this.#held.set(id, { info, file, work: "check", checked: undefined, abort, touched_ms });
    this.loop.wake();
    return info;
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
    if (held.file === undefined) {
      throw new Fault("conflict", "the file was imported, and is not kept: send it again");
    }
    held.work = work;
    held.abort = new AbortController();
    const cleared = { share: 0, detail: null, asked: [], report: null, is_whole: false };
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

  /** Stops everything, and removes all files. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#held.values()].map((held) => this.#stop(held, stopped)));
    await this.settle();
    await this.#files.clear();
  }

  #find(project_id: string, id: string): Held {
    const held = this.#held.get(id);
    if (held?.info.project_id === project_id) return held;
    throw new Fault(
      "not_found",
      "there is no import with this ID: files are kept for a day and until the service stops. " +
        "Send it again",
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
    const check = await checkImport(file, () => signal.throwIfAborted(), { foresee });
    const news = tagNews(this.#parts.catalog, project);
    const understood = await understandingOf(file, check, { said: way, news });
    held.info = { ...held.info, understood: shortened(understood) };
    if (way.repeats !== "last") refuseRepeats(file, check);
    const { rows, rejected_count, repeats: { differing } } = check;
    held.checked = { rows, rejected_count, differing, key };
  }

  #refuse(held: Held, { message }: Fault): void {
    const asked = askedSettings(message);
    this.#end(held, { state: "refused", detail: inFields(message), asked });
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

function shortened(understood: Understanding): ShownUnderstanding {
  const { columns, left_out, proposed } = understood;
  const { shown_columns } = import_limits;
  const tags = Object.entries(proposed.tags ?? {}).slice(0, shown_columns);
  return {
    ...understood,
    columns: columns.slice(0, shown_columns),
    more_columns: Math.max(0, columns.length - shown_columns),
    left_out: left_out.slice(0, shown_columns),
    proposed: { ...proposed, tags: Object.fromEntries(tags) },
  };
}

const stopped = "the service was stopped: what was stored stays, and is a duplicate the next time";
