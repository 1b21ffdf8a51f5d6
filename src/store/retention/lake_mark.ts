// Marks in a lake: which copies count, for who reads it without the database.
import published_list_sql from "./published_list.sql" with { type: "text" };
import { Lock } from "../../base/lock.ts";
import type { Connection } from "../connection.ts";
import type { FarFile } from "../far.ts";
import { filled, quoted, statement } from "../statement.ts";
import { lakeAway } from "./lake_place.ts";

/** What marks need of their lake. */
type Marked = {
  /** Lets connections reach it; throws a `Fault` (unavailable) where it does not answer. */
  readonly ready: () => Promise<void>;
  /** Does something on a connection of its own. */
  readonly aside: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;
  /** Does something in one transaction; of two such ones at a time, one fails. */
  readonly owned: <T>(connection: Connection, work: () => Promise<T>) => Promise<T>;
};

/** A day, and the name of its copy. */
type Copy = Pick<FarFile, "day" | "file">;

/**
 * A mark says of a day's copy: this is the day, nothing near is laid over it. It is put after the
 * database says so, and taken away before that changes. It counts while its `epoch` is that of the
 * lake's owner: a process that takes the lake over ends those of all before it.
 */
export class LakeMarks {
  readonly #lake: Marked;
  /** Between what the database says and what the lake says of it, nothing changes. */
  readonly #lock = new Lock();
  /**
   * The copies whose marks count. Unknown before this process has put any, and where nobody knows
   * what came of that: a commit whose answer was lost may still be on its way.
   */
  #known: ReadonlySet<string> | undefined;

  constructor(lake: Marked) {
    this.#lake = lake;
  }

  /** Whether this process has put them: what they say is true of the database from then on. */
  get are_put(): boolean {
    return this.#known !== undefined;
  }

  /** Lets the marks be those of the days that the database has there now. */
  seal(list: () => Promise<readonly Copy[]>): Promise<void> {
    const { ready, aside, owned } = this.#lake;
    return this.#lock.run(async () => {
      const copies = await list();
      const known = this.#known;
      if (copies.length === known?.size && copies.every(({ file }) => known.has(file))) return;
      this.#known = undefined;
      await ready();
      await aside(async (connection) => {
        if (copies.length > 0 || await hasMarks(connection)) {
          await owned(connection, () => putMarks(connection, copies));
        }
        this.#known = new Set(copies.map(({ file }) => file));
      });
    });
  }

  /** Takes the mark of a copy away, and only then does what changes its day. */
  withdraw<T>(file: string, change: () => Promise<T>): Promise<T> {
    return this.#lock.run(async () => {
      await this.#remove(file);
      return await change();
    });
  }

  /**
   * Of what is not known, in a transaction that no other one can pass. Else the owner is left as it
   * is: who stores a day meanwhile, which takes long, would have to do it again.
   */
  async #remove(file: string): Promise<void> {
    const { ready, aside, owned } = this.#lake;
    const known = this.#known;
    if (known && !known.has(file)) return;
    this.#known = undefined;
    await ready();
    await aside(async (connection) => {
      const remove = () => connection.script(filled(mark_delete, { copy: quoted(file) }));
      try {
        await (known ? remove() : owned(connection, remove));
      } catch (error) {
        throw isConflict(error) ? lakeAway("another change was first") : error;
      }
    });
    this.#known = known && new Set([...known].filter((it) => it !== file));
  }
}

/** Whether two changed the same at once, of whom one has to try again. */
function isConflict(error: unknown): boolean {
  return /conflict/i.test((error as Error).message);
}

async function hasMarks(connection: Connection): Promise<boolean> {
  const [{ found }] = await connection.rows(marks_find);
  return found;
}

async function putMarks(connection: Connection, copies: readonly Copy[]): Promise<void> {
  await connection.script("DELETE FROM lake.main.sealed");
  if (copies.length === 0) return;
  const list = copies.map(({ day, file }) => `(${day}, ${quoted(file)})`).join(", ");
  await connection.script(filled(marks_insert, { list }));
}

/** The marks of copies, and whether each has as many rows as it had. */
export const published_list = statement({
  sql: published_list_sql,
  parameters: { names: "text[]" },
  row: { copy: "text", is_whole: "bool" },
  is_dynamic: true,
});

/** The days that the marks which count name, for who has no database of them. */
export const sealed_list = statement({
  sql: `
    SELECT day, copy AS file, rows, last_received_at
    FROM (FROM lake.main.sealed SEMI JOIN lake.main.owner USING (epoch)) AS it
    JOIN lake.main.published USING (copy, day)
    ORDER BY day`,
  row: { day: "int32", file: "text", rows: "int64", last_received_at: "instant" },
  is_dynamic: true,
});

const marks_insert = `
  INSERT INTO lake.main.sealed
  SELECT day, copy, epoch FROM (VALUES {list}) AS it (day, copy), lake.main.owner`;

const mark_delete = "DELETE FROM lake.main.sealed WHERE copy = {copy}";

const marks_find = statement({
  sql: "SELECT count(*) > 0 AS found FROM lake.main.sealed",
  row: { found: "bool" },
  is_dynamic: true,
});
