// Rows as JSON has them, answered as a table in the format that a request names.
import {
  type Answer,
  type Chunk,
  fixedVector,
  validityOf,
  type Vector,
  wordsOf,
} from "../../model/data/chunk.ts";
import type { Column } from "../../model/data/column.ts";
import { instantOf } from "../../wire/bytes/instant.ts";
import { streamAnswer, type StreamContext } from "./answer.ts";

/** A row as JSON has it, by column. */
export type TableRow = Readonly<Record<string, unknown>>;

/** Rows in batches, and the columns that they can have. */
type Table = {
  readonly columns: readonly Column[];
  readonly batches: AsyncIterable<readonly TableRow[]> | Iterable<readonly TableRow[]>;
};

/** Whether a list is asked for as a table: in another format than JSON, or some of its columns. */
export function asksTable({ format, columns }: Pick<StreamContext, "format" | "columns">): boolean {
  return format !== "json" || columns.length > 0;
}

/** A table as a response in the format that is asked for, as it is made. */
export async function streamTable(
  context: StreamContext,
  table: Table,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return await streamAnswer(context, tableAnswer(table), headers);
}

/** The same as columns. */
export function tableAnswer({ columns: declared, batches }: Table): Answer {
  const columns = declared.map((it) => ({ ...it, nullable: it.nullable || it.optional === true }));
  return { columns, chunks: chunksOf(batches, columns), metadata: {} };
}

async function* chunksOf(
  batches: Table["batches"],
  columns: readonly Column[],
): AsyncGenerator<Chunk, void> {
  for await (const rows of batches) {
    const vectors = columns.map((column) =>
      vectorOf(column, rows.map(({ [column.name]: cell }) => cell ?? null))
    );
    yield { rows: rows.length, vectors };
  }
}

function vectorOf(
  { kind, json }: Column,
  cells: readonly unknown[],
): Vector {
  const told = (tell: (cell: unknown) => unknown) =>
    cells.map((cell) => cell === null ? null : tell(cell));
  if (kind === "instant") return fixedVector(kind, told((cell) => instantOf(cell as string)));
  if (kind !== "text") return fixedVector(kind, cells);
  const texts = told((cell) => json ? JSON.stringify(cell) : cell);
  const words = wordsOf(texts.map((text) => text === null ? "" : text as string));
  return { kind, words, valid: validityOf(cells) };
}
