// At a gateway: how far it and its centre have told each other of each project, and when last.
import type { Effects } from "../../base/effects.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import type { Way } from "./forward.ts";
import type { Line } from "./line.ts";

type CursorParts<Cursor> = {
  readonly database: Database;
  readonly effects: Pick<Effects, "monotonic_ms">;
  readonly read: (connection: Connection) => Promise<ReadonlyMap<number, Cursor>>;
  readonly forget: (connection: Connection) => Promise<void>;
  /** How often the centre is asked where there is nothing to tell. */
  readonly ask_ms: number;
  /** How much is told at once. */
  readonly limit: number;
};

/** What is told in one turn: to whom, of which project. */
export type Place = {
  readonly line: Line;
  readonly project: Project;
  /** The centre's id of the project. */
  readonly id: string;
  readonly signal: AbortSignal;
};

/** Cursors by project, on disk and in memory, for one kind of exchange. */
export class Cursors<Cursor extends { readonly project_no: number }> {
  readonly #parts: CursorParts<Cursor>;
  readonly #asked_ms = new Map<number, number>();
  #known: ReadonlyMap<number, Cursor> | undefined;
  #limit: number;
  /** How often what was told was forgotten: an answer from before that moves no cursor. */
  #era = 0;

  constructor(parts: CursorParts<Cursor>) {
    this.#parts = parts;
    this.#limit = parts.limit;
  }

  get era(): number {
    return this.#era;
  }

  /** So much is told at once: less where one thing spoils the others. */
  get limit(): number {
    return this.#limit;
  }

  /** Forgets what was told, in the transaction that makes the centre another one. */
  async forget(connection: Connection): Promise<void> {
    this.#era++;
    await this.#parts.forget(connection);
  }

  /** Says that the centre is another one from now on, which has nothing. */
  beginAnew(): void {
    this.#known = undefined;
    this.askAgain();
  }

  /** Says that the line failed: what the centre knows is asked for before anything else. */
  askAgain(): void {
    this.#asked_ms.clear();
  }

  /** How far a project is; undefined where it was never exchanged. */
  async of({ project_no }: Project): Promise<Cursor | undefined> {
    this.#known ??= await this.#parts.database.read(this.#parts.read);
    return this.#known.get(project_no);
  }

  /** Takes how far a project is, once it is on the disk, unless all was forgotten meanwhile. */
  put(cursor: Cursor, era: number): void {
    if (era === this.#era) this.#known = new Map(this.#known).set(cursor.project_no, cursor);
  }

  /** Whether the centre is to be asked where there is nothing to tell. */
  isDue({ project_no }: Project): boolean {
    const asked_ms = this.#asked_ms.get(project_no) ?? -Infinity;
    return this.#parts.effects.monotonic_ms() - asked_ms >= this.#parts.ask_ms;
  }

  /** Notes that the centre answered; where it has more, it is asked again at once. */
  answered({ project_no }: Project, { is_more }: { readonly is_more: boolean }): void {
    this.#limit = this.#parts.limit;
    const at_ms = is_more ? -Infinity : this.#parts.effects.monotonic_ms();
    this.#asked_ms.set(project_no, at_ms);
  }

  /** Tells less at once: the centre refused so much of it as a whole. */
  halve(told: number): void {
    this.#limit = Math.max(1, Math.floor(told / 2));
  }
}

/** Exchanges something of some projects, one after the other. */
export async function inTurns(
  projects: readonly Project[],
  way: Way,
  exchange: (place: Place) => Promise<void>,
): Promise<void> {
  for (const project of projects) {
    const id = way.projects.get(project.project_no);
    if (id !== undefined) await exchange({ line: way.line, project, id, signal: way.signal });
  }
}
