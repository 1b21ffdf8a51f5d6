// The table of the peer DuckDB: made, appended to, asked; in the process that calls.
import type { Vector } from "../../../src/model/data/chunk.ts";
import { type DuckConnection, DuckFile } from "../../../src/store/duckdb/client.ts";
import { measures } from "../bodies.ts";
import { body_rows } from "./work.ts";

const fields = Object.keys(measures);

/** A database file with the plant in one table. */
export class DuckTable {
  readonly #instance: DuckFile;
  /** One for each client, which lives as long as the database. */
  readonly #connections = new Map<number, DuckConnection>();

  private constructor(instance: DuckFile) {
    this.#instance = instance;
  }

  static async open(path: string): Promise<DuckTable> {
    const table = new DuckTable(await DuckFile.open(path, {}));
    await table.run(
      `CREATE TABLE IF NOT EXISTS sample (ts TIMESTAMP, ${
        fields.map((name) => `${name} DOUBLE`).join()
      }, inverter INTEGER, received_at TIMESTAMP)`,
    );
    return table;
  }

  /** Appends a body of columns in one transaction, which is on the disk when this resolves. */
  async load(bytes: Uint8Array<ArrayBuffer>, client: number): Promise<void> {
    const connection = this.#connection(client);
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
    await connection.append(
      { table: "sample", chunk: { rows: body_rows, vectors } },
      { part_rows: body_rows, flush: "whole" },
    );
  }

  async run(sql: string): Promise<void> {
    (await this.#connection(0).run(sql)).close();
  }

  /** Reads all rows of an answer, as vectors of columns, and gives how many they are. */
  async rows(sql: string): Promise<number> {
    const prepared = await this.#connection(0).prepare(sql, {});
    const result = await prepared.run({ whole: false });
    let rows = 0;
    for (;;) {
      const part = await result.next();
      if (part === undefined) break;
      for (let i = 0; i < result.types.length; i++) part.column(i);
      rows += part.rows;
      part.close();
    }
    result.close();
    prepared.close();
    return rows;
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.close();
    this.#instance.close();
  }

  #connection(client: number): DuckConnection {
    let connection = this.#connections.get(client);
    if (!connection) {
      connection = this.#instance.connect();
      this.#connections.set(client, connection);
    }
    return connection;
  }
}
