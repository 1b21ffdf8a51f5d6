// A result as it is made: what is read of it is gathered to chunks.
import type { Chunk } from "../../model/data/chunk.ts";
import type { DuckConnection, Prepared } from "./client.ts";
import { gather, type Part, type Result } from "./result.ts";

/** Runs what `duckdb` prepared, in chunks of so many rows or somewhat more; closes it then. */
export async function* streamed(
  prepared: Prepared,
  { duckdb, batch_rows }: { readonly duckdb: DuckConnection; readonly batch_rows: number },
): AsyncGenerator<Chunk, void> {
  let result: Result | undefined;
  const parts: Part[] = [];
  let finished = false;
  try {
    result = await prepared.run({ whole: false });
    for (let rows = 0;;) {
      const part = await result.next();
      if (part === undefined) break;
      parts.push(part);
      rows += part.rows;
      if (rows < batch_rows) continue;
      rows = 0;
      yield gather(parts.splice(0), result.types);
    }
    finished = true;
    if (parts.length > 0) yield gather(parts.splice(0), result.types);
  } finally {
    if (!finished) duckdb.interrupt();
    for (const part of parts) part.close();
    result?.close();
    prepared.close();
  }
}
