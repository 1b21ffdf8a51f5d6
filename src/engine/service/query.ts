// An operator's SELECT: its rows as text, and how much of a running service it may take.
import type { Effects } from "../../base/effects.ts";
import { concat, utf8 } from "../../base/bytes.ts";
import { Fault } from "../../base/fault.ts";
import { inTime } from "../../base/in_time.ts";
import { limits } from "../../base/limits.ts";
import { wordAt } from "../../model/data/chunk.ts";
import type { Connection } from "../../store/connection.ts";
import { isDamage } from "../../store/damage.ts";
import type { Database } from "../../store/database.ts";
import { jsonAnswer, requirePlainQuery, textAnswer } from "../../store/query/query.ts";
import { encode } from "../../wire/format.ts";
import { service_limits } from "./limits.ts";

/** What is asked, and whether a row is a line of JSON instead of CSV. */
export type OperatorQuery = { readonly sql: string; readonly json: boolean };

/** The rows as text, piece by piece. Throws a `Fault` (invalid) with what the database says. */
export async function* queryPieces(
  connection: Connection,
  { sql, json }: OperatorQuery,
): AsyncGenerator<Uint8Array, void> {
  try {
    if (json) yield* jsonLines(connection, sql);
    else yield* encode(await textAnswer(connection, sql), "csv");
  } catch (error) {
    if (isDamage(error) || error instanceof Fault) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const is_deep = reason.includes("Max expression depth limit");
    throw new Fault("invalid", is_deep ? "the query is nested too deep" : reason.split("\n")[0]);
  }
}

/**
 * The same beside the work of a service: it reads the tables of the database alone, for a short
 * time, and gives a bounded text. There is place for few, apart from the readers of requests:
 * some functions can't be interrupted, and one that goes on after its answer keeps its place.
 */
export class OperatorQueries {
  readonly #parts: Parts;
  #places: number = service_limits.queries;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The answer, in time whatever the query does. Throws a `Fault` where it asks for more. */
  async answer(
    query: OperatorQuery,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<Uint8Array<ArrayBuffer>> {
    signal.throwIfAborted();
    if (this.#places === 0) {
      const what = `${service_limits.queries} queries still run; try again shortly`;
      throw new Fault("too_many", what, { retry_after_s: limits.retry_after_s });
    }
    const stop = new AbortController();
    this.#places--;
    const running = this.#run(query, stop.signal).finally(() => this.#places++);
    const { effects } = this.#parts;
    const wait_ms = service_limits.query_ms;
    if (await inTime(running, { wait_ms, effects, signal })) return await running;
    stop.abort();
    signal.throwIfAborted();
    throw new Fault("timeout", `the query took longer than ${wait_ms / 1000} s`);
  }

  /** On a connection that no stop of the service waits for. */
  async #run(query: OperatorQuery, stop: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    const connection = this.#parts.database.session();
    stop.addEventListener("abort", () => connection.interrupt());
    try {
      return await gathered(connection, query, stop);
    } finally {
      connection.close();
    }
  }
}

type Parts = {
  readonly database: Pick<Database, "session">;
  readonly effects: Pick<Effects, "sleep">;
};

async function gathered(
  connection: Connection,
  query: OperatorQuery,
  stop: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  await requirePlainQuery(connection, query.sql);
  stop.throwIfAborted();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of queryPieces(connection, query)) {
    bytes += piece.length;
    if (bytes > service_limits.query_bytes) {
      const size = service_limits.query_bytes / 1024 / 1024;
      throw new Fault("too_large", `the answer is longer than ${size} MiB: ask for less, or LIMIT`);
    }
    pieces.push(piece);
  }
  return concat(pieces);
}

async function* jsonLines(connection: Connection, sql: string): AsyncGenerator<Uint8Array, void> {
  for await (const { rows, vectors: [line] } of jsonAnswer(connection, sql).chunks) {
    if (line.kind !== "text") continue;
    yield utf8(Array.from({ length: rows }, (_, i) => `${wordAt(line.words, i)}\n`).join(""));
  }
}
