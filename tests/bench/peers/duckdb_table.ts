// The table of the peer DuckDB: made, appended to, asked; in the process that calls.
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { Vector } from "../../../src/model/data/chunk.ts";
import { appendPart } from "../../../src/store/value.ts";
import { measures } from "../bodies.ts";
import { body_rows } from "./work.ts";

const fields = Object.keys(measures);

/** A database file with the plant in one table. */
export class DuckTable {
  readonly #instance: DuckDBInstance;
  /** One for each client, which lives as long as the database. */
  readonly #connections = new Map<number, Promise<DuckDBConnection>>();

  private constructor(instance: DuckDBInstance) {
    this.#instance = instance;
  }

  static async open(path: string): Promise<DuckTable> {
    const table = new DuckTable(await DuckDBInstance.create(path));
    await table.run(
      `CREATE TABLE IF NOT EXISTS sample (ts TIMESTAMP, ${
        fields.map((name) => `${name} DOUBLE`).join()
      }, inverter INTEGER, received_at TIMESTAMP)`,
    );
    return table;
  }

  /** Appends a body of columns in one transaction, which is on the disk when this resolves. */
  async load(bytes: Uint8Array<ArrayBuffer>, client: number): Promise<void> {
    const connection = await this.#connection(client);
    const measured = fields.map((_, i): Vector => ({
      kind: "float64",
      values: new Float64Array(bytes.buffer, 8 * body_rows * (i + 1), body_rows),
    }));
    const numbers = new Int32Array(bytes.buffer, 8 * body_rows * (fields.length + 1), body_rows);
    const stored_us = new BigInt64Array(body_rows).fill(BigInt(Date.now()) * 1000n);
    const vectors: Vector[] = [
      { kind: "int64", values: new BigInt64Array(bytes.buffer, 0, body_rows) },
      ...measured,
      { kind: "int32", values: numbers },
      { kind: "int64", values: stored_us },
    ];
    const appender = await connection.createAppender("sample");
    appendPart(appender, { chunk: { rows: body_rows, vectors }, from: 0, to: body_rows });
    appender.closeSync();
  }

  async run(sql: string): Promise<void> {
    await (await this.#connection(0)).run(sql);
  }

  /** Reads all rows of an answer, as vectors of columns, and gives how many they are. */
  async rows(sql: string): Promise<number> {
    const result = await (await this.#connection(0)).stream(sql);
    let rows = 0;
    for (;;) {
      const chunk = await result.fetchChunk();
      if (!chunk || chunk.rowCount === 0) return rows;
      for (let i = 0; i < chunk.columnCount; i++) chunk.getColumnVector(i);
      rows += chunk.rowCount;
    }
  }

  async close(): Promise<void> {
    for (const connection of this.#connections.values()) (await connection).closeSync();
    this.#instance.closeSync();
  }

  #connection(client: number): Promise<DuckDBConnection> {
    let connection = this.#connections.get(client);
    if (!connection) {
      connection = this.#instance.connect();
      this.#connections.set(client, connection);
    }
    return connection;
  }
}
