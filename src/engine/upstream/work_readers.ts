// Who reads the log of shared work, and up to where: without readers there is no log.
import { sha256Hex } from "../../base/digest.ts";
import type { Effects } from "../../base/effects.ts";
import { limits } from "../../base/limits.ts";
import { upstream_limits } from "../../model/upstream/limits.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { type ChangeTold, findChangeId, findLastChange } from "../../store/work/change.ts";
import { readWorkCursors } from "../../store/work/cursor.ts";
import { dropReader, readReaders, storeReader, type WorkReader } from "../../store/work/place.ts";
import { Loop } from "../core/loop.ts";
import type { Work } from "../work/work.ts";

/** A place in the log: a number, and what is to be found there. */
export type LogMark = { readonly no: number; readonly mark: string | null };

/** A place up to which a reader was told. */
type ToldMark = LogMark & {
  /** Whether that was all there was: it has the history of all that is folded up to there. */
  readonly is_whole: boolean;
};

type ReaderParts = {
  readonly database: Database;
  readonly work: Work;
  readonly effects: Pick<Effects, "now_us" | "random" | "sleep" | "monotonic_ms">;
};

/** What a gateway's reader of its centre is called. */
const centre_reader = "";

/** Knows who reads each project's log; forgets who did not for long, and then the log. */
export class WorkReaders {
  readonly loop: Loop;
  readonly #parts: ReaderParts;
  readonly #known = new Map<string, WorkReader>();

  private constructor(parts: ReaderParts, readers: readonly WorkReader[]) {
    this.#parts = parts;
    for (const reader of readers) this.#known.set(keyOf(reader), reader);
    this.loop = new Loop({
      name: "bounding the log of shared work",
      effects: parts.effects,
      retry_ms: limits.loop_retry_ms,
      turn: () => this.turn(),
    });
  }

  static async open(parts: ReaderParts): Promise<WorkReaders> {
    return new WorkReaders(parts, await parts.database.read(readReaders));
  }

  /** How a place in the log is told: a change's id may be that of somebody else's issue. */
  markOf({ change_no: no, id }: Pick<ChangeTold, "change_no" | "id">): LogMark {
    return { no, mark: sha256Hex(id).slice(0, 32) };
  }

  /** What is known of the place that a reader says that it is at; undefined: it is none here. */
  async find(
    connection: Connection,
    { token_id, project_no, heard: { no, mark } }: Pick<WorkReader, "token_id" | "project_no"> & {
      readonly heard: LogMark;
    },
  ): Promise<ToldMark | undefined> {
    const last = await findLastChange(connection, project_no);
    if (mark === null || last === undefined || last.change_no < no) return undefined;
    const reader = this.#known.get(keyOf({ token_id, project_no }));
    const told = reader && marksOf(reader).find((it) => it.no === no && it.mark === mark);
    if (told) return told;
    const id = await findChangeId(connection, { project_no, change_no: no });
    const is_here = id !== undefined && this.markOf({ change_no: no, id }).mark === mark;
    return is_here ? { no, mark, is_whole: false } : undefined;
  }

  /** Notes that a gateway was told up to a place: it may be there, or where it was before. */
  async hear(token_id: string, project_no: number, told: ToldMark): Promise<void> {
    const known = this.#known.get(keyOf({ token_id, project_no }));
    const before = known ? marksOf(known) : [];
    const others = before.filter(({ no, mark }) => no !== told.no || mark !== told.mark);
    const marks = JSON.stringify([...others.slice(-1), told]);
    const is_same = marks === known?.marks;
    if (is_same && !this.#isLong(known!.heard_at, upstream_limits.work_fold_ms)) return;
    await this.#store({ token_id, project_no, marks });
  }

  /** Folds what is old, forgets who is away for long, and the log that nobody reads. */
  async turn(): Promise<number> {
    const { work, database } = this.#parts;
    const told = await database.read(readWorkCursors);
    for (const project_no of work.shared) {
      // Whoever left a centre may come back to it, however late.
      const is_gateway = work.has_centre || told.has(project_no);
      if (is_gateway || this.#readersOf(project_no).length === 0) {
        await this.#store({ token_id: centre_reader, project_no, marks: "[]" });
      }
      const own = this.#readersOf(project_no);
      const keep_ms = upstream_limits.work_reader_us / 1000;
      const gone = own.filter(({ heard_at }) => this.#isLong(heard_at, keep_ms));
      for (const reader of gone) {
        await database.write(({ connection }) => dropReader(connection, reader));
        this.#known.delete(keyOf(reader));
      }
      const has_gateways = own.some(({ token_id }) => token_id !== centre_reader);
      if (gone.length === own.length) await work.unshare(project_no);
      // What was told to no centre yet stays as it is.
      else if (has_gateways && !is_gateway) { while (await work.fold(project_no)); }
    }
    return upstream_limits.work_fold_ms;
  }

  #readersOf(project_no: number): readonly WorkReader[] {
    return [...this.#known.values()].filter((it) => it.project_no === project_no);
  }

  #isLong(from_us: number, ms: number): boolean {
    return this.#parts.effects.now_us() - from_us > ms * 1000;
  }

  async #store(reader: Omit<WorkReader, "heard_at">): Promise<void> {
    const row = { ...reader, heard_at: this.#parts.effects.now_us() };
    await this.#parts.database.write(({ connection }) => storeReader(connection, row));
    this.#known.set(keyOf(row), row);
  }
}

function keyOf({ token_id, project_no }: Pick<WorkReader, "token_id" | "project_no">): string {
  return `${project_no} ${token_id}`;
}

function marksOf({ marks }: WorkReader): readonly ToldMark[] {
  return JSON.parse(marks);
}
