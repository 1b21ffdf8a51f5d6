// Connections to the database: statements, rows, chunks of columns, transactions.
import { assert } from "../base/assert.ts";
import { Barrier, Passage } from "../base/lock.ts";
import { answer_limits } from "../model/data/limits.ts";
import type { Chunk } from "../model/data/chunk.ts";
import type { Columns, PlainRow } from "../model/data/row.ts";
import { WholeSpan } from "../model/rollup/whole.ts";
import { changesOutline, outline_tables } from "../model/fleet/outline.ts";
import { catalog_find, far_list, type FarDays, type FarFile, farView, near_view } from "./far.ts";
import { database_limits } from "./limits.ts";
import type { Given, ParameterTypes, Runnable, Statement } from "./statement.ts";
import type { DuckConnection, Prepared, Rows } from "./duckdb/client.ts";
import { type Parameters, withLiterals } from "./duckdb/parameter.ts";
import { type Result, ResultPieces } from "./duckdb/result.ts";
import { streamed } from "./duckdb/stream.ts";
import { wholeInsert } from "./duckdb/whole_insert.ts";
import type { Vault } from "./vault.ts";

export type { Plain } from "./duckdb/result.ts";

/** How a connection works. */
export type ConnectionOptions = {
  /** It is for work in the background: it sleeps while other threads work for it. */
  readonly is_patient?: boolean;
};

/** How a transaction ends. */
type TransactionEnd = {
  readonly end?: "COMMIT" | "ROLLBACK";
  readonly turn?: (run: () => Promise<void>) => Promise<void>;
};

/** What connections work with beside the database. */
export type Kit = {
  /** Which samples lie in files. */
  readonly far: FarDays;
  /** Where whole quarter-hours may be. */
  readonly wholes?: WholeSpan;
  /** Every statement passes it. */
  readonly barrier?: Barrier;
  /** Seals the secrets that are stored. */
  readonly vault?: Vault;
  /** Who makes the commits that change the plant's outline, and may refuse; nobody at first. */
  readonly outline?: { before?: BeforeCommit };
};

/** Does what has to be done before a commit, and then commits. */
export type BeforeCommit = (commit: () => Promise<void>) => Promise<void>;

/**
 * One connection; one statement runs on it at a time. Each run is planned again: DuckDB plans by
 * the statistics of the moment (a filter that nothing passes is dropped, sort keys and groups are
 * narrowed to the values that exist) and runs a kept plan over newer rows all the same, which then
 * gives wrong rows without an error. Measured on 1.5.5, as is this: a prepared statement is planned
 * twice, without its values and with them. So numbers, words and ids are written into its text.
 */
export class Connection {
  readonly #duckdb: DuckConnection;
  readonly #kit: Kit;
  /** Each statement passes the barrier, and a transaction as a whole. */
  readonly #passage: Passage;
  readonly #is_patient: boolean;
  /** Called before a statement that may read old days elsewhere. */
  onFar: (() => Promise<void>) | undefined;
  #open = false;
  /** DuckDB is told of the open transaction before its first statement. */
  #begun: Promise<void> | undefined;
  /** What it appends before that, which may be all of it. */
  #held: Rows | undefined;
  /** Whether the open transaction changes the plant's outline. */
  #is_outlined = false;
  #owes_rollback = false;

  constructor(duckdb: DuckConnection, kit: Kit, { is_patient = false }: ConnectionOptions = {}) {
    this.#duckdb = duckdb;
    this.#kit = kit;
    this.#passage = new Passage(kit.barrier ?? new Barrier());
    this.#is_patient = is_patient;
  }

  /** Seals the secrets that are stored. */
  get vault(): Vault {
    assert(this.#kit.vault, "this connection is for what needs no secrets");
    return this.#kit.vault;
  }

  /** Where whole quarter-hours may be: anywhere in a transaction, which sees what was. */
  get wholes(): WholeSpan {
    return this.#open ? new WholeSpan() : this.#kit.wholes ?? new WholeSpan();
  }

  /** Runs a statement for its effect. */
  async run<P extends ParameterTypes>(
    statement: Statement<P>,
    ...[values]: Given<P>
  ): Promise<void> {
    (await this.#result({ statement, values })).close();
  }

  /**
   * Runs SQL that no declaration describes: of migrations, of settings, of copies, and of working
   * tables that are made from templates. One or more statements, without parameters or rows.
   */
  async script(sql: string): Promise<void> {
    await this.#enter();
    await this.#script(sql);
  }

  async #script(sql: string): Promise<void> {
    this.#look(sql);
    const owes_rollback = this.#owes_rollback;
    this.#owes_rollback = false;
    await this.#passage.run(async () => {
      if (owes_rollback) await this.#duckdb.run("ROLLBACK").then((it) => it.close(), () => {});
      (await this.#duckdb.run(sql)).close();
    });
  }

  /** After all of a begin. Never throws: where it fails, it is done before the next script. */
  async #rollBack(): Promise<void> {
    const rollBack = () => this.#script("ROLLBACK").catch(() => this.#owes_rollback = true);
    await this.#begun?.catch(() => {}).then(rollBack);
  }

  #openAnew(): void {
    [this.#open, this.#is_outlined] = [true, false];
    this.#begun = this.#held = undefined;
  }

  /** A transaction whose rollback failed is still at work. */
  #shut(): void {
    this.#open = false;
    if (!this.#owes_rollback) this.#passage.leave();
  }

  /** Before a statement: the open transaction begins, if it has not. */
  #enter(): Promise<void> | undefined {
    return this.#open ? this.#begun ??= this.#begin() : undefined;
  }

  /** A transaction that the last one left open, as its rollback failed, is ended before. */
  async #begin(): Promise<void> {
    await this.#passage.enter();
    try {
      await this.#script("BEGIN TRANSACTION");
    } catch (error) {
      this.#owes_rollback = true;
      throw error;
    }
    if (this.#held) await this.#append(this.#held);
  }

  /** Notes that the open transaction changes the outline, where anybody is to hear of that. */
  #look(sql: string): void {
    if (!this.#open || this.#is_outlined || !this.#kit.outline?.before) return;
    this.#is_outlined = changesOutline(sql);
  }

  /** All rows of a small result as objects; for many rows use `chunks`. */
  async rows<P extends ParameterTypes, C extends Columns>(
    statement: Statement<P, C>,
    ...[values]: Given<P>
  ): Promise<PlainRow<C>[]> {
    const result = await this.#result({ statement, values });
    return result.rows() as PlainRow<C>[];
  }

  /** A whole result as one chunk: one read of a few hundred thousand rows at most. */
  async chunk<P extends ParameterTypes>(
    statement: Runnable<P>,
    ...[values]: Given<P>
  ): Promise<Chunk> {
    return (await this.#result({ statement, values })).chunk();
  }

  /**
   * A result that is made whole beside the program's own work, then handed over in small chunks
   * that stay in the processor's cache: others may use or close the connection meanwhile. For
   * results of a few million rows at most.
   */
  async pieces<P extends ParameterTypes>(
    statement: Runnable<P>,
    ...[values]: Given<P>
  ): Promise<ResultPieces> {
    const result = await this.#result({ statement, values });
    return new ResultPieces(result, database_limits.piece_vectors);
  }

  /**
   * A result as it is made, in chunks of up to `answer_limits.batch_rows` rows. It holds the
   * connection until it ends: never for a client.
   */
  async *chunks<P extends ParameterTypes>(
    statement: Statement<P>,
    ...[values]: Given<P>
  ): AsyncGenerator<Chunk, void> {
    await this.#enter();
    const run = { statement, values };
    const far = await this.#reach(run);
    let ended = far === undefined;
    try {
      yield* this.#passage.stream(() => this.#stream(run));
      ended = true;
      await far?.end();
    } catch (error) {
      ended = true;
      throw far === undefined ? error : await far.fail(error);
    } finally {
      if (!ended) await far?.fail(undefined);
    }
  }

  async *#stream(run: Run): AsyncGenerator<Chunk, void> {
    const batch_rows = answer_limits.batch_rows;
    yield* streamed(await this.#bind(run), { duckdb: this.#duckdb, batch_rows });
  }

  /**
   * Appends rows to a table; part of the open transaction, if one is: what it appends before all
   * else waits for what follows, and is not to be changed until then. This thread copies rows, part
   * by part; another one puts them in. Where `columns` are named, rows have nothing in the others.
   */
  async append(table: string, chunk: Chunk, columns?: readonly string[]): Promise<void> {
    if (chunk.rows === 0) return;
    if (this.#open && outline_tables.includes(table)) this.#is_outlined = true;
    const is_first = this.#open && !this.#begun && !this.#held;
    const rows = { table, chunk, columns };
    const is_small = chunk.rows <= database_limits.append_alone_rows;
    if (is_first && is_small) return void (this.#held = rows);
    await this.#enter();
    await this.#append(rows);
  }

  #append(rows: Rows): Promise<void> {
    const flush = this.#open && this.#begun ? "parts" : "whole";
    const way = { part_rows: database_limits.append_rows, flush } as const;
    return this.#passage.run(() => this.#duckdb.append(rows, way));
  }

  /**
   * Runs `work` in one transaction: rolled back when it throws, else ended as said: committed, or
   * taken back as well. `turn` runs the end when its turn has come.
   */
  async transaction<T>(
    work: () => Promise<T>,
    { end = "COMMIT", turn = (run) => run() }: TransactionEnd = {},
  ): Promise<T> {
    assert(!this.#open, "a transaction is already open on this connection");
    this.#openAnew();
    try {
      const result = await work();
      await turn(() => this.#end(end));
      return result;
    } catch (error) {
      await this.#rollBack();
      throw error;
    } finally {
      this.#shut();
    }
  }

  /** Begins a transaction that ends with the connection. */
  async begin(): Promise<void> {
    this.#openAnew();
    await this.#enter();
  }

  async #end(end: NonNullable<TransactionEnd["end"]>): Promise<void> {
    const run = () => this.#finish(end);
    const before = this.#is_outlined && end === "COMMIT" ? this.#kit.outline?.before : undefined;
    await (before ? before(run) : run());
  }

  /**
   * Of a transaction that is no more than one append, DuckDB makes one by itself: for a few rows
   * that takes half of what three statements take, each of which waits for other threads.
   */
  async #finish(end: "COMMIT" | "ROLLBACK"): Promise<void> {
    const is_alone = !this.#begun && !this.#owes_rollback && end === "COMMIT";
    if (is_alone && this.#held) await this.#append(this.#held);
    else if (this.#begun || this.#held) await this.script(end);
  }

  /**
   * Before a statement that lists tables or sizes: the library asks every attached database for
   * them, and a lake may not answer.
   */
  async standAlone(): Promise<void> {
    await this.#kit.far.leave();
  }

  /** Stops the running statement, which then throws. */
  interrupt(): void {
    this.#duckdb.interrupt();
  }

  close(): void {
    this.#duckdb.close();
    this.#passage.leave();
  }

  /** Runs a statement; its result is made whole. */
  async #result(run: Run): Promise<Result> {
    await this.#enter();
    const far = await this.#reach(run);
    if (far === undefined) return await this.#run(run);
    try {
      const result = await this.#run(run);
      await far.end();
      return result;
    } catch (error) {
      throw await far.fail(error);
    }
  }

  /**
   * Lets `sample` stand for near samples and those in files for one statement, where that may read
   * any in files. The list of files and the statement are in one transaction: each sample is seen
   * once, wherever it lies.
   */
  async #reach({ statement, values }: Run): Promise<Reached | undefined> {
    const range = this.#kit.far.rangeOf(statement.reach, values);
    if (range === undefined) return undefined;
    await this.onFar?.();
    const is_own = !this.#open;
    const unread = this.#kit.far.read();
    const leave = async (...scripts: readonly string[]) => {
      try {
        for (const sql of scripts) await this.script(sql);
      } finally {
        if (is_own) this.#shut();
        unread();
      }
    };
    let files: readonly FarFile[] = [];
    const fail = async (error: unknown) => {
      // In a transaction of others, their rollback takes the view with it.
      await leave(is_own ? "ROLLBACK" : near_view).catch(() => this.#owes_rollback = is_own);
      return await this.#kit.far.explain(error, files);
    };
    try {
      if (is_own) this.#openAnew();
      files = await this.rows(far_list, range);
      await this.#kit.far.require(files);
      await this.#viewFar(files);
    } catch (error) {
      throw await fail(error);
    }
    const view = files.length > 0 ? [near_view] : [];
    return { fail, end: () => leave(...view, ...is_own ? ["COMMIT"] : []) };
  }

  async #viewFar(files: readonly FarFile[]): Promise<void> {
    if (files.length === 0) return;
    const [{ name }] = await this.rows(catalog_find);
    const table = this.#kit.far.tableOf(files.map(({ file }) => file));
    await this.script(farView(name, table));
  }

  async #run(run: Run): Promise<Result> {
    this.#look(run.statement.sql);
    return await this.#passage.run(() => this.#runOnce(run));
  }

  async #runOnce({ statement, values = {} }: Run): Promise<Result> {
    const sql = withLiterals(wholeInsert(statement.sql), values);
    if (sql !== undefined) {
      return await (this.#is_patient ? this.#duckdb.runPatiently(sql) : this.#duckdb.run(sql));
    }
    const prepared = await this.#bind({ statement, values });
    try {
      return await (this.#is_patient ? prepared.runPatiently() : prepared.run({ whole: true }));
    } finally {
      prepared.close();
    }
  }

  #bind({ statement: { sql, parameters }, values = {} }: Run): Promise<Prepared> {
    const taken = Object.keys(parameters).map((name) => [name, values[name]]);
    return this.#duckdb.prepare(wholeInsert(sql), Object.fromEntries(taken));
  }
}

/** A statement, with what it is given. */
type Run = {
  readonly statement: Runnable<ParameterTypes>;
  readonly values: Parameters | undefined;
};

/** Files that one statement reads. */
type Reached = {
  readonly end: () => Promise<void>;
  /** Ends it after a failure, and gives what is to be thrown: what is wrong with a file, if so. */
  readonly fail: (error: unknown) => Promise<unknown>;
};
