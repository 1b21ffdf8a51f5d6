// DuckDB on one file: what is opened, connections to it, and statements on them.
import { giveWay, isLongTurn, sleep } from "../../base/effects_sleep.ts";
import type { Chunk } from "../../model/data/chunk.ts";
import { Appender } from "./appender.ts";
import { bind, type Parameters } from "./parameter.ts";
import { Result } from "./result.ts";
import {
  cText,
  duckdb,
  DuckError,
  fixedMemory,
  Handle,
  keeping,
  result_bytes,
  textAt,
} from "./symbols.ts";

/** Rows of a table: all its columns in their order, or those named; the others have none then. */
export type Rows = {
  readonly table: string;
  readonly chunk: Chunk;
  readonly columns?: readonly string[];
};

/** An open instance of the library, and the file that its connections work in, if there is one. */
export class DuckFile {
  readonly #handle = new Handle();
  #name: string | undefined;

  private constructor() {}

  /** Opens or makes a file, or `:memory:`, with settings; throws what DuckDB says is wrong. */
  static async open(path: string, settings: Readonly<Record<string, string>>): Promise<DuckFile> {
    const file = new DuckFile();
    const config = new Handle();
    const failure = new Handle();
    const name = cText(path);
    try {
      duckdb().duckdb_create_config(config.memory);
      for (const [key, value] of Object.entries(settings)) {
        const state = duckdb().duckdb_set_config(config.address, cText(key), cText(value));
        if (state !== 0) throw new Error(`DuckDB has no setting ${key} = ${value}`);
      }
      const { memory } = file.#handle;
      const state = await keeping(
        [name, memory, failure.memory],
        duckdb().duckdb_open_ext(name, memory, config.address, failure.memory),
      );
      if (state !== 0) throw new Error(textAt(failure.address));
      return file;
    } finally {
      duckdb().duckdb_destroy_config(config.memory);
      if (failure.address !== 0n) duckdb().duckdb_free(failure.address);
    }
  }

  /**
   * Runs `sql`, which opens or makes a file as the database `name`: later connections work in it.
   * Another thread does that: `meanwhile` is called as soon as it does.
   */
  async attach(
    { sql, name }: { readonly sql: string; readonly name: string },
    meanwhile: () => void = () => {},
  ): Promise<void> {
    const connection = this.connect();
    try {
      const opened = connection.run(sql);
      meanwhile();
      (await opened).close();
      this.#name = name;
    } finally {
      connection.close();
    }
  }

  /**
   * Closes the file and runs `sql`, which opens it again in another way; nothing may be at work.
   * Connections go on, as they find it by its name. Where it can't be opened after so many tries,
   * that is fatal.
   */
  async attachAgain(
    sql: string,
    { tries, wait_ms }: { readonly tries: number; readonly wait_ms: number },
  ): Promise<void> {
    const connection = new DuckConnection(this.#handle.address);
    const run = async (it: string) => (await connection.run(it)).close();
    try {
      // One whose log can't be written into it is closed all the same: its log is read then.
      await run(`DETACH ${this.#name}`).catch(() => {});
      for (let failed = 1; failed < tries; failed++) {
        if (await run(sql).then(() => true, () => false)) return;
        await sleep(wait_ms);
      }
      await run(sql);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new DuckError(`FATAL Error: the file can't be opened again: ${reason}`);
    } finally {
      connection.close();
    }
  }

  connect(): DuckConnection {
    return new DuckConnection(this.#handle.address, this.#name);
  }

  /** The file is closed once its connections are, too. */
  close(): void {
    duckdb().duckdb_close(this.#handle.memory);
  }
}

/** One connection; one statement runs on it at a time. */
export class DuckConnection {
  readonly #handle = new Handle();
  /** The file that it is to work in, until it does. */
  #name: string | undefined;
  #entering: Promise<void> | undefined;

  constructor(file: bigint, name?: string) {
    this.#name = name;
    if (duckdb().duckdb_connect(file, this.#handle.memory) !== 0) {
      throw new Error("DuckDB gives no connection");
    }
  }

  /** Runs one or more statements; gives the result of the last, which the caller closes. */
  async run(sql: string): Promise<Result> {
    if (this.#name) await this.#enter();
    return await this.#query(sql);
  }

  async #query(sql: string): Promise<Result> {
    this.#requireOpen();
    const memory = fixedMemory(result_bytes);
    const text = cText(sql);
    const state = await keeping(
      [text, memory],
      duckdb().duckdb_query(this.#handle.address, text, memory),
    );
    return new Result(memory, state);
  }

  /** Runs one statement as `Prepared.runPatiently` does. */
  async runPatiently(sql: string): Promise<Result> {
    const prepared = await this.prepare(sql, {});
    try {
      return await prepared.runPatiently();
    } finally {
      prepared.close();
    }
  }

  /** Prepares one statement and binds what it takes by name; the caller closes it. */
  async prepare(sql: string, parameters: Parameters): Promise<Prepared> {
    if (this.#name) await this.#enter();
    this.#requireOpen();
    const handle = new Handle();
    const text = cText(sql);
    const state = await keeping(
      [text, handle.memory],
      duckdb().duckdb_prepare(this.#handle.address, text, handle.memory),
    );
    const prepared = new Prepared(handle);
    prepared.check(state);
    for (const [name, value] of Object.entries(parameters)) {
      prepared.check(bind(handle.address, { name, value }));
    }
    return prepared;
  }

  /**
   * Appends rows: part of the open transaction, if one is, else a transaction of their own, which
   * is put in as a whole. This thread copies so many at a time.
   */
  async append(
    { table, chunk, columns }: Rows,
    { part_rows, flush }: { readonly part_rows: number; readonly flush: "parts" | "whole" },
  ): Promise<void> {
    if (this.#name) await this.#enter();
    this.#requireOpen();
    const appender = new Appender(this.#handle.address, table, columns);
    try {
      for (let from = 0; from < chunk.rows; from += part_rows) {
        const to = Math.min(from + part_rows, chunk.rows);
        appender.append({ chunk, from, to });
        if (flush === "parts") await appender.flush(to - from);
        else if (to < chunk.rows && isLongTurn()) await giveWay();
      }
      if (flush === "whole") await appender.commit();
    } finally {
      appender.close();
    }
  }

  /**
   * Works in its file from now on: before what comes first, as that waits for other threads. Where
   * it can't, nothing comes: nothing may be put anywhere else.
   */
  #enter(): Promise<void> {
    return this.#entering ??= this.#query(`USE ${this.#name}`)
      .then((result) => {
        result.close();
        this.#name = undefined;
      })
      .finally(() => this.#entering = undefined);
  }

  /** The library would read where a closed one points, and end the process, or never answer. */
  #requireOpen(): void {
    if (this.#handle.address === 0n) throw new Error("the connection is closed");
  }

  /** Stops the running statement, which then throws. */
  interrupt(): void {
    duckdb().duckdb_interrupt(this.#handle.address);
  }

  close(): void {
    duckdb().duckdb_disconnect(this.#handle.memory);
  }
}

/** What `duckdb_pending_execute_task` says, but for a failure. */
const PendingState = { READY: 0, NOT_READY: 1, NO_TASKS: 3 } as const;

/** A statement with what it is given. */
export class Prepared {
  readonly #handle: Handle;

  constructor(handle: Handle) {
    this.#handle = handle;
  }

  /** Closes it and throws what DuckDB says where a call on it failed. */
  check(state: number): void {
    if (state === 0) return;
    const error = new DuckError(textAt(duckdb().duckdb_prepare_error(this.#handle.address)));
    this.close();
    throw error;
  }

  /** Runs it; its result is made whole, or while it is read. The caller closes the result. */
  async run({ whole }: { readonly whole: boolean }): Promise<Result> {
    const memory = fixedMemory(result_bytes);
    const { duckdb_execute_prepared, duckdb_execute_prepared_streaming } = duckdb();
    const execute = whole ? duckdb_execute_prepared : duckdb_execute_prepared_streaming;
    const state = await keeping([memory], execute(this.#handle.address, memory));
    return new Result(memory, state);
  }

  /**
   * Runs it task by task; its result is made whole. While other threads have the last tasks, it
   * sleeps: DuckDB itself would ask for more all the time, which takes a processor from others.
   * Each task is a call, so this is for work that nobody waits for.
   */
  async runPatiently(): Promise<Result> {
    const pending = new Handle();
    const memory = fixedMemory(result_bytes);
    const { duckdb_execute_pending, duckdb_pending_execute_task, duckdb_pending_prepared } =
      duckdb();
    try {
      const { address } = this.#handle;
      await keeping([pending.memory], duckdb_pending_prepared(address, pending.memory));
      for (;;) {
        const state = await duckdb_pending_execute_task(pending.address);
        if (state === PendingState.READY) break;
        if (state === PendingState.NO_TASKS) await sleep(0);
        else if (state !== PendingState.NOT_READY) {
          throw new DuckError(textAt(duckdb().duckdb_pending_error(pending.address)));
        }
      }
      const state = await keeping([memory], duckdb_execute_pending(pending.address, memory));
      return new Result(memory, state);
    } finally {
      duckdb().duckdb_destroy_pending(pending.memory);
    }
  }

  close(): void {
    duckdb().duckdb_destroy_prepare(this.#handle.memory);
  }
}
