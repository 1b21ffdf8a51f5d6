// Tables by their columns: those that are stored, working tables, and rows by column for both.
import { type Chunk, fixedVector, validityOf, type Vector, wordsOf } from "../model/data/chunk.ts";
import type { Kind } from "../model/data/kind.ts";
import { kindOf, type NounColumns, type PlainRow, type StoredType } from "../model/data/row.ts";
import type { Connection } from "./connection.ts";
import { type ParameterType, type Statement, statement } from "./statement.ts";

/** A table: its name, and its columns in its order. */
export type Table<C extends NounColumns = NounColumns> = {
  readonly name: string;
  readonly columns: C;
};

/** A working table of a connection, and the statement that makes it. */
export type WorkTable<C extends NounColumns = NounColumns> = Table<C> & {
  readonly make: Statement<Readonly<Record<never, never>>, Readonly<Record<never, never>>>;
};

const declared: DeclaredTable[] = [];

/** A table as it is declared: whether a row is written by its columns' order or by their names. */
export type DeclaredTable = Table & { readonly written_by: "order" | "name" };

/** Declares a table that a migration made: a test compares its columns. */
export function table<const C extends NounColumns>(
  name: string,
  columns: C,
  { written_by = "order" }: Partial<Pick<DeclaredTable, "written_by">> = {},
): Table<C> {
  const made = { name, columns };
  declared.push({ ...made, written_by });
  return made;
}

/** Declares a working table, which `make` makes without rows in place of one before. */
export function workTable<const C extends NounColumns>(name: string, columns: C): WorkTable<C> {
  const columns_sql = Object.entries(columns)
    .map(([column, type]) => `"${column}" ${databaseTypeOf(type)}`).join(", ");
  const make = statement({
    sql: "CREATE OR REPLACE TEMP TABLE {table}",
    names: { table: `${name} (${columns_sql})` },
  });
  return { ...table(name, columns), make };
}

/** Every table that the loaded modules declare. */
export function allTables(): readonly DeclaredTable[] {
  return declared;
}

/** The database's type for what a column or a parameter holds. */
export function databaseTypeOf(type: StoredType | ParameterType): string {
  if (type === "uint8?") return "UTINYINT";
  const is_list = typeof type === "string" && type.includes("[]");
  return database_types[kindOf(type)] + (is_list ? "[]" : "");
}

const database_types = {
  text: "VARCHAR",
  float64: "DOUBLE",
  int64: "BIGINT",
  instant: "BIGINT",
  int32: "INTEGER",
  uint32: "UINTEGER",
  bool: "BOOLEAN",
} as const satisfies Record<Kind, string>;

/** Appends rows to a table; part of the open transaction, if one is. */
export function appendRows<C extends NounColumns>(
  connection: Connection,
  { name, columns }: Table<C>,
  rows: readonly PlainRow<NoInfer<C>>[],
): Promise<void> {
  return connection.append(name, chunkOf(columns, rows));
}

/** Puts rows into a working table of the connection, in place of those that it had. */
export async function stageRows<C extends NounColumns>(
  connection: Connection,
  stage: WorkTable<C>,
  rows: readonly PlainRow<NoInfer<C>>[],
): Promise<void> {
  await connection.run(stage.make);
  await appendRows(connection, stage, rows);
}

/** The least and the greatest of some numbers. */
export function rangeOf(nos: readonly number[]): {
  readonly from_no: number;
  readonly to_no: number;
} {
  return {
    from_no: nos.reduce((least, no) => Math.min(least, no), Infinity),
    to_no: nos.reduce((most, no) => Math.max(most, no), -Infinity),
  };
}

/** Rows by column: one vector for each of `columns`, in that order. */
export function chunkOf<C extends NounColumns>(
  columns: C,
  rows: readonly PlainRow<NoInfer<C>>[],
): Chunk {
  const vectors = Object.entries(columns).map(([name, type]) => {
    const cells = rows.map((row) => row[name]);
    const is_json = typeof type === "object" && "json" in type;
    return vectorOf(kindOf(type), is_json ? cells.map((cell) => JSON.stringify(cell)) : cells);
  });
  return { rows: rows.length, vectors };
}

type Cell = string | number | boolean | null;

function vectorOf(kind: Kind, cells: readonly unknown[]): Vector {
  return kind === "text" ? textsOf(cells as readonly Cell[]) : fixedVector(kind, cells);
}

/** Each text once, as most columns say the same of many rows. */
function textsOf(cells: readonly Cell[]): Vector {
  const known = new Map<Cell, number>([[null, 0]]);
  const codes = new Int32Array(cells.length);
  cells.forEach((cell, i) => {
    const code = known.get(cell) ?? known.size;
    if (code === known.size) known.set(cell, code);
    codes[i] = code;
  });
  const words = wordsOf(Array.from(known.keys(), (cell) => `${cell ?? ""}`));
  return { kind: "text", words, codes, valid: validityOf(cells) };
}
