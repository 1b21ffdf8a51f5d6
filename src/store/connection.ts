// One connection to the database: prepared statements, rows, chunks of columns, transactions.
import type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBMaterializedResult,
  DuckDBPreparedStatement,
} from "@duckdb/node-api";
import { assert } from "../base/assert.ts";
import { limits } from "../base/limits.ts";
import type { Chunk } from "../model/data/chunk.ts";
import { appendChunk } from "./append.ts";
import { bound, gather, type Parameters, type Plain, plainRows } from "./value.ts";

export type { Plain } from "./value.ts";

/** How many of DuckDB's vectors, of up to 2 048 rows, make one piece. */
const vectors_per_piece = 4;

/**
 * One connection; one statement runs on it at a time. Each run is prepared anew: DuckDB plans by
 * the statistics of the moment (a filter that nothing passes is dropped, sort keys and groups are
 * narrowed to the values that exist) and runs a kept plan over newer rows all the same, which then
 * gives wrong rows without an error. Measured on 1.5.5; preparing takes 0.2 to 0.5 ms.
 */
export class Connection {
  readonly #duckdb: DuckDBConnection;
  #open = false;

  constructor(duckdb: DuckDBConnection) {
    this.#duckdb = duckdb;
  }

  /** Runs one or more statements for their effect. Several statements take no parameters. */
  async run(sql: string, parameters?: Parameters): Promise<void> {
    if (parameters === undefined) await this.#duckdb.run(sql);
    else await this.#prepared({ sql, parameters }, (statement) => statement.run());
  }

  /** All rows of a small result as objects; for many rows use `chunks`. */
  async rows<Row extends Record<string, Plain>>(
    sql: string,
    parameters: Parameters = {},
  ): Promise<Row[]> {
    return await this.#prepared({ sql, parameters }, async (statement) => {
      const result = await statement.run();
      return plainRows(result.columnNames(), await result.fetchAllChunks()) as Row[];
    });
  }

  /** A whole result as one chunk: one read of a few hundred thousand rows at most. */
  chunk(sql: string, parameters: Parameters = {}): Promise<Chunk> {
    return this.#prepared(
      { sql, parameters },
      async (statement) => gather(await (await statement.run()).fetchAllChunks()),
    );
  }

  /**
   * A result that is made whole beside the program's own work, then handed over in small chunks
   * that stay in the processor's cache. It needs the connection no more: others may use or close
   * that while a client takes its time. For results of a few million rows at most.
   */
  async pieces(sql: string, parameters: Parameters = {}): Promise<Iterable<Chunk>> {
    return await this.#prepared(
      { sql, parameters },
      async (statement) => piecesOf(await statement.run()),
    );
  }

  /**
   * A result as it is made, in chunks of up to `limits.batch_rows` rows. It holds the connection
   * until it ends: never for a client.
   */
  async *chunks(sql: string, parameters: Parameters = {}): AsyncGenerator<Chunk, void> {
    const statement = await this.#bind(sql, parameters);
    let parts: DuckDBDataChunk[] = [];
    let rows = 0;
    let finished = false;
    try {
      const result = await statement.stream();
      for (;;) {
        const part = await result.fetchChunk();
        if (part === null || part.rowCount === 0) break;
        parts.push(part);
        rows += part.rowCount;
        if (rows < limits.batch_rows) continue;
        yield gather(parts);
        parts = [];
        rows = 0;
      }
      finished = true;
      if (rows > 0) yield gather(parts);
    } finally {
      if (!finished) this.#duckdb.interrupt();
      statement.destroySync();
    }
  }

  /** Appends rows to a table; part of the open transaction, if one is. */
  async append(table: string, chunk: Chunk): Promise<void> {
    if (chunk.rows === 0) return;
    const appender = await this.#duckdb.createAppender(table);
    try {
      appendChunk(appender, chunk);
      appender.flushSync();
    } finally {
      appender.closeSync();
    }
  }

  /**
   * Runs `work` in one transaction: rolled back when it throws, else ended as said: committed, or
   * taken back as well.
   */
  async transaction<T>(
    work: () => Promise<T>,
    end: "COMMIT" | "ROLLBACK" = "COMMIT",
  ): Promise<T> {
    assert(!this.#open, "a transaction is already open on this connection");
    await this.#duckdb.run("BEGIN TRANSACTION");
    this.#open = true;
    try {
      const result = await work();
      await this.#duckdb.run(end);
      return result;
    } catch (error) {
      await this.#duckdb.run("ROLLBACK").catch(() => {});
      throw error;
    } finally {
      this.#open = false;
    }
  }

  /** Stops the running statement, which then throws. */
  interrupt(): void {
    this.#duckdb.interrupt();
  }

  close(): void {
    this.#duckdb.closeSync();
  }

  async #prepared<T>(
    { sql, parameters }: { readonly sql: string; readonly parameters: Parameters },
    work: (statement: DuckDBPreparedStatement) => Promise<T>,
  ): Promise<T> {
    const statement = await this.#bind(sql, parameters);
    try {
      return await work(statement);
    } finally {
      statement.destroySync();
    }
  }

  async #bind(sql: string, parameters: Parameters): Promise<DuckDBPreparedStatement> {
    const statement = await this.#duckdb.prepare(sql);
    for (const [name, parameter] of Object.entries(parameters)) {
      const { value, type } = bound(parameter);
      statement.bindValue(statement.parameterIndex(name), value, type);
    }
    return statement;
  }
}

/** DuckDB keeps a whole result apart from everything, until nobody refers to it any more. */
function* piecesOf(result: DuckDBMaterializedResult): Generator<Chunk, void> {
  const { chunkCount } = result;
  for (let at = 0; at < chunkCount; at += vectors_per_piece) {
    const count = Math.min(vectors_per_piece, chunkCount - at);
    yield gather(Array.from({ length: count }, (_, i) => result.getChunk(at + i)));
  }
}
