// Old days in a lake: DuckLake's catalogue, and Parquet files in a folder or an object store.
import { Fault } from "../../base/fault.ts";
import { inTime } from "../../base/in_time.ts";
import { Lock } from "../../base/lock.ts";
import type { Settings } from "../../model/setting.ts";
import { dayText } from "../../model/time/calendar.ts";
import type { Connection } from "../connection.ts";
import { type FarCopy, type FarFile, type FarLook, lake_prefix, type LakePlace } from "../far.ts";
import { proveCopy } from "../far_proof.ts";
import { filled, quoted, statement } from "../statement.ts";
import { loadExtension } from "./extension.ts";
import {
  isOfLake,
  lakeAway,
  type LakeOptions,
  lakePlace,
  lakeReason,
  LateError,
  needed,
  requireOwner,
  secretOf,
} from "./lake_place.ts";
import { lake_attach, lake_detach, makeTables, tending } from "./lake_make.ts";
import { LakeMarks, published_list, sealed_list } from "./lake_mark.ts";
import { lake_limits } from "./limits.ts";

/** How a lake was when it was last needed. */
export type LakeState = "unused" | "open" | "away";

/**
 * The lake of one database. Each copy of a day has a name of its own, and is stored there in one
 * transaction with a mark and the fence: whoever took the lake over last, and nobody else, stores
 * there. Which copy counts says the database alone: one that was left behind is never read.
 */
export class Lake implements LakePlace {
  readonly #options: LakeOptions;
  #connect: () => Connection = () => {
    throw new Error("the lake has no database yet");
  };
  #attached: Promise<void> | undefined;
  readonly #leaving = new Lock();
  /** Why the lake does not answer; undefined while it does. */
  #reason: string | undefined;
  /** Whether the extensions are loaded. */
  #is_able = false;
  /** Which take-over of the lake is this service's; undefined before. */
  #epoch: number | undefined;
  /** The copies whose rows were counted, in which state of the lake. */
  #whole: { readonly snapshot: number; readonly copies: Set<string> } = {
    snapshot: -1,
    copies: new Set(),
  };
  readonly #marks = new LakeMarks({
    ready: () => this.ready(),
    aside: (work) => this.#aside(work),
    owned: (connection, work) => this.#owned(connection, work),
  });
  /** How many store there now. */
  #stores = 0;
  /** When the lake may be asked again, on the clock that never jumps. */
  #rest_until_ms = -Infinity;
  #tended_ms = -Infinity;

  constructor(options: LakeOptions) {
    this.#options = options;
  }

  get state(): LakeState {
    return this.#reason !== undefined ? "away" : this.#attached === undefined ? "unused" : "open";
  }

  async begin(connect: () => Connection): Promise<void> {
    this.#connect = connect;
    // A transaction sees no key that came after it: who reads first would find none.
    if (this.#is_stored) await this.#aside((it) => this.#unlock(it)).catch(() => {});
  }

  /** Whether its files lie in an object store. */
  get #is_stored(): boolean {
    return this.#options.data_path.startsWith("s3://");
  }

  /** Lets the library reach the object store. */
  async #unlock(connection: Connection): Promise<void> {
    const { extensions: folder, s3 } = this.#options;
    await loadExtension(connection, { name: "httpfs", folder });
    await connection.script(secretOf(s3));
  }

  nameOf(day: number, stamp_us: number): string {
    return `${lake_prefix}${dayText(day)}-${stamp_us}`;
  }

  async ready(): Promise<void> {
    if (this.#attached === undefined) {
      const now_ms = this.#options.effects.monotonic_ms();
      if (now_ms < this.#rest_until_ms) throw lakeAway(this.#reason ?? "it did not a moment ago");
      this.#attached = this.#storing(() => this.#aside((it) => this.#attach(it)));
    }
    try {
      await this.#answer(this.#attached);
      this.#reason = undefined;
    } catch (error) {
      if (error instanceof Fault) throw error;
      throw lakeAway(lakeReason(error));
    }
  }

  async leave(is_read: boolean): Promise<void> {
    if (!this.#is_able) return;
    if ((is_read || this.#stores > 0) && await this.#answers()) return;
    this.#attached = undefined;
    await this.#leaving.run(() => this.#aside((it) => it.script(lake_detach)));
  }

  tableOf(files: readonly string[]): string {
    const list = files.map(quoted).join(", ");
    return filled(copies_table, { columns: sample_columns, list });
  }

  put(
    connection: Connection,
    day: Pick<FarFile, "day" | "file">,
  ): Promise<FarCopy | undefined> {
    return this.#storing(() => this.#put(connection, day));
  }

  async #put(
    connection: Connection,
    { day, file }: Pick<FarFile, "day" | "file">,
  ): Promise<FarCopy | undefined> {
    await this.ready();
    const before = await this.#bytes(connection);
    const copy = await this.#owned(connection, async () => {
      const month = quoted(dayText(day).slice(0, 7));
      await connection.script(filled(copy_insert, {
        ...{ columns: sample_columns, month, copy: quoted(file), day },
      }));
      const proof = await proveCopy(connection, { day, table: this.tableOf([file]) });
      // A copy that differs is removed as every one is that nobody names.
      if (proof === undefined) return undefined;
      await connection.script(filled(mark_insert, { copy: quoted(file), day, ...proof }));
      return { day, file, sha256: "", ...proof };
    });
    if (copy === undefined) return undefined;
    return { ...copy, bytes: await this.#bytes(connection) - before };
  }

  remove(file: string): Promise<void> {
    return this.#storing(async () => {
      await this.ready();
      await this.#aside((connection) =>
        this.#owned(connection, async () => {
          for (const table of ["sample", "published"]) {
            await connection.script(filled(copy_delete, { table, copy: quoted(file) }));
          }
        })
      );
    });
  }

  get is_sealed(): boolean {
    return this.#marks.are_put;
  }

  /** The days that it tells of by itself, as it is now. */
  async sealed(): Promise<readonly Omit<FarCopy, "bytes" | "sha256">[]> {
    await this.ready();
    return await this.#answer(this.#aside((connection) => connection.rows(sealed_list)));
  }

  seal(list: () => Promise<readonly Pick<FarFile, "day" | "file">[]>): Promise<void> {
    return this.#storing(() => this.#marks.seal(list));
  }

  async withdraw<T>(file: string, change: () => Promise<T>): Promise<T> {
    requireOwner(this.#options);
    return await this.#marks.withdraw(file, change);
  }

  /**
   * Its files prove themselves as they are read; here the marks are looked for, and the rows are
   * counted, once for each state of the lake: others can reach it, too.
   */
  async flawsOf(
    files: readonly FarFile[],
    { by = "digest" }: FarLook = {},
  ): Promise<ReadonlyMap<string, string>> {
    const names = files.map(({ file }) => file);
    // What is asked at any time never waits for others.
    if (by === "size") {
      const away = this.#reason === undefined ? [] : names;
      return new Map(away.map((name) => [name, "away"]));
    }
    await this.ready();
    const [state] = await this.#answer(this.#aside((connection) => connection.rows(state_find)));
    if (state.snapshot !== this.#whole.snapshot) {
      this.#whole = { snapshot: state.snapshot, copies: new Set() };
    }
    const { copies } = this.#whole;
    const unseen = names.filter((it) => !copies.has(it));
    if (unseen.length === 0) return new Map();
    const found = await this.#aside((it) => it.rows(published_list, { names: unseen }));
    for (const { copy, is_whole } of found) if (is_whole) copies.add(copy);
    const marked = new Set(found.map(({ copy }) => copy));
    return new Map(
      unseen.filter((it) => !copies.has(it))
        .map((it) => [it, marked.has(it) ? "not as it was stored" : "missing"]),
    );
  }

  faultOf({ day, file }: FarFile, flaw: string): Fault {
    const restore = "restore the catalogue, or accept the loss at the next start";
    return new Fault(
      "unavailable",
      `the samples of ${dayText(day)} can't be read, ${file} is ${flaw} in the lake: ${restore}`,
    );
  }

  failed(error: unknown): unknown {
    if (!isOfLake(error)) return error;
    this.#attached = undefined;
    const reason = lakeReason(error);
    if (this.#reason === undefined) {
      this.#options.tell?.(`the lake does not answer, old days can't be read: ${reason}`);
    }
    this.#reason = reason;
    this.#rest_until_ms = this.#options.effects.monotonic_ms() + lake_limits.rest_ms;
    return lakeAway(reason);
  }

  /**
   * Puts small files together and lets go of what nobody needs, once in a while: what was removed
   * stays for those who read an older state, and so do files that no transaction ever named. Also
   * after a start, when nothing was stored since: what was removed before is still to go.
   */
  async tend(): Promise<void> {
    const now_ms = this.#options.effects.monotonic_ms();
    if (now_ms - this.#tended_ms < lake_limits.tend_ms) return;
    await this.ready();
    await this.#storing(() =>
      this.#aside(async (connection) => {
        await this.#owned(connection, () => Promise.resolve());
        const { old_hours: hours = lake_limits.old_hours } = this.#options;
        for (const sql of tending) await connection.script(filled(sql, { hours }));
      })
    );
    this.#tended_ms = now_ms;
  }

  async #attach(connection: Connection): Promise<void> {
    const { catalog, data_path, schema, is_read_only } = this.#options;
    await this.#load(connection);
    // Who let go of it a moment ago has to be done.
    await this.#leaving.run(() => Promise.resolve());
    // A connection that broke stays broken until the catalogue is attached anew.
    await connection.script(lake_detach);
    const data = data_path.endsWith("/") ? data_path : `${data_path}/`;
    await connection.script(filled(lake_attach, {
      ...{ catalog: quoted(`ducklake:${catalog}`), data: quoted(data), schema: quoted(schema) },
      also: is_read_only ? ", READ_ONLY" : "",
    }));
    if (!is_read_only) await makeTables(connection);
  }

  async #load(connection: Connection): Promise<void> {
    if (this.#is_able) return;
    const { extensions: folder } = this.#options;
    if (this.#is_stored) await this.#unlock(connection);
    for (const name of needed(this.#options)) await loadExtension(connection, { name, folder });
    this.#is_able = true;
  }

  /** Does `work` in one transaction of the lake, which is this service's once that has ended. */
  async #owned<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
    const { epoch, done } = await connection.transaction(async () => {
      const epoch = await this.#fence(connection);
      return { epoch, done: await work().finally(() => requireOwner(this.#options)) };
    });
    this.#epoch = epoch;
    return done;
  }

  /**
   * Lets the open transaction of the lake fail where another service has taken it over: of two that
   * change the fence, one fails; and one that was taken over finds no fence of its own.
   */
  async #fence(connection: Connection): Promise<number> {
    const [{ epoch }] = await connection.rows(owner_find);
    if (this.#epoch !== undefined && this.#epoch !== epoch) {
      throw new Fault(
        "conflict",
        "another service has taken the lake over: give this one a lake_schema of its own",
      );
    }
    const own = this.#epoch ?? epoch + 1;
    await connection.script(filled(owner_update, { epoch: own }));
    return own;
  }

  /** Does `work` that makes or stores: who lets go of the lake meanwhile would end it. */
  async #storing<T>(work: () => Promise<T>): Promise<T> {
    this.#stores++;
    try {
      return await work();
    } catch (error) {
      throw this.failed(error);
    } finally {
      this.#stores--;
    }
  }

  /** Whether it answers: one that hangs while it is read is not known to be away yet. */
  async #answers(): Promise<boolean> {
    if (this.#reason !== undefined) return false;
    try {
      await this.ready();
      await this.#answer(this.#aside((connection) => connection.rows(state_find)));
      return true;
    } catch {
      return false;
    }
  }

  /** What the lake answers in time; one that hangs is asked no more for a while. */
  async #answer<T>(asking: Promise<T>): Promise<T> {
    const { effects } = this.#options;
    if (await inTime(asking, { wait_ms: lake_limits.answer_ms, effects })) return await asking;
    asking.catch(() => {});
    throw this.failed(new LateError("it takes too long"));
  }

  async #bytes(connection: Connection): Promise<number> {
    const [{ bytes }] = await connection.rows(bytes_find);
    return bytes;
  }

  async #aside<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = this.#connect();
    try {
      return await work(connection);
    } catch (error) {
      throw this.failed(error);
    } finally {
      connection.close();
    }
  }
}

const sample_columns = "tag_no, ts, received_at, value, value_int, value_str, quality, status_code";

const copies_table = "(SELECT {columns} FROM lake.main.sample WHERE copy IN ({list}))";

const copy_insert = `
  INSERT INTO lake.main.sample
  SELECT {columns}, {month}, {copy}
  FROM sample
  WHERE ts >= {day} * 86400000000 AND ts < ({day} + 1) * 86400000000
  ORDER BY ts, tag_no`;

const mark_insert =
  "INSERT INTO lake.main.published VALUES ({copy}, {day}, {rows}, {last_received_at})";

const copy_delete = "DELETE FROM lake.main.{table} WHERE copy = {copy}";

const owner_update = "UPDATE lake.main.owner SET epoch = {epoch}, turn = turn + 1";

const owner_find = statement({
  sql: "SELECT epoch FROM lake.main.owner",
  row: { epoch: "int64" },
  is_dynamic: true,
});

const state_find = statement({
  sql: "SELECT id AS snapshot FROM ducklake_current_snapshot('lake')",
  row: { snapshot: "int64" },
  is_dynamic: true,
});

/** What all files of the samples take that count now. */
const bytes_find = statement({
  sql: `SELECT coalesce(sum(data_file_size_bytes), 0)::BIGINT AS bytes
    FROM ducklake_list_files('lake', 'sample')`,
  row: { bytes: "int64" },
  is_dynamic: true,
});

/** The lake that the settings name; undefined where old days lie in files. */
export function lakeOf(
  settings: Settings,
  world: Pick<LakeOptions, "effects" | "tell" | "is_read_only">,
): Lake | undefined {
  if (settings.tier === "files") return undefined;
  return new Lake({ ...lakePlace(settings), ...world });
}
