// Every statement of the store, prepared on a migrated database: it takes and gives what it says.
import { deepEqual, equal } from "node:assert/strict";
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBPreparedStatement,
  listValue,
  StatementType,
} from "@duckdb/node-api";
import type { Columns, NounColumns } from "../../src/model/data/row.ts";
import { Database } from "../../src/store/database.ts";
import {
  allStatements,
  type ParameterType,
  type ParameterTypes,
  type Statement,
  statement,
} from "../../src/store/statement.ts";
import { fakeEffects } from "../help/effects.ts";
import { queryRows } from "../help/query.ts";
import { allTables, databaseTypeOf, type DeclaredTable } from "../../src/store/table.ts";
import { type Parameter, withLiterals } from "../../src/store/duckdb/parameter.ts";

for (const path of filesOf(new URL("../../src/store/", import.meta.url))) await import(path);

/** What every file of the store declares. */
const product = { statements: [...allStatements()], tables: [...allTables()] };

function filesOf(folder: URL): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory
      ? filesOf(new URL(`${name}/`, folder))
      : name.endsWith(".ts")
      ? [new URL(name, folder).href]
      : []
  );
}

type Declarations = {
  readonly statements: readonly Statement[];
  readonly tables?: readonly DeclaredTable[];
};

/** What is wrong with some declarations, one line each. */
async function mistakesOf({ statements, tables = [] }: Declarations): Promise<string[]> {
  const path = `${await Deno.makeTempDir()}/statements.duckdb`;
  const database = await Database.open({ path, effects: fakeEffects().effects });
  await database.close();
  // By another client of DuckDB, which tells what it makes of a statement.
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  const mistakes: string[] = [];
  try {
    const fixed = statements.filter(({ is_dynamic }) => !is_dynamic);
    for (const { statement, prepared, error } of await prepareAll(connection, fixed)) {
      const found = prepared
        ? [...mistakesIn(statement, prepared), ...await refusalOf(connection, statement)]
        : [`is refused: ${error}`];
      mistakes.push(...found.map((mistake) => `${titleOf(statement)}: ${mistake}`));
    }
    for (const { name, columns, written_by } of tables) {
      const prepared = await connection.prepare(`FROM "${name}"`);
      const [has, declared] = [columnsOf(prepared), linesOf(columns)].map((lines) =>
        written_by === "name" ? lines.toSorted() : lines
      );
      if (has.join() !== declared.join()) {
        mistakes.push(`${name} has (${has}), declared (${declared})`);
      }
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
  return mistakes;
}

type Prepared = {
  readonly statement: Statement;
  readonly prepared?: DuckDBPreparedStatement;
  readonly error?: string;
};

/**
 * Prepares statements in any order that works: one that makes a working table runs, on no rows, so
 * that those that read the table can be prepared after it.
 */
async function prepareAll(
  connection: DuckDBConnection,
  statements: readonly Statement[],
): Promise<Prepared[]> {
  const done: Prepared[] = [];
  let waiting: readonly Prepared[] = statements.map((statement) => ({ statement }));
  for (let before = Infinity; waiting.length < before;) {
    before = waiting.length;
    const still: Prepared[] = [];
    for (const { statement } of waiting) {
      try {
        const prepared = await connection.prepare(statement.sql);
        if (prepared.statementType === StatementType.CREATE) {
          for (let i = 1; i <= prepared.parameterCount; i++) prepared.bindNull(i);
          await prepared.run();
        }
        done.push({ statement, prepared });
      } catch (error) {
        still.push({ statement, error: (error as Error).message.split("\n")[0] });
      }
    }
    waiting = still;
  }
  return [...done, ...waiting];
}

/** What is wrong with a statement once plain values are written into it. */
async function refusalOf(
  connection: DuckDBConnection,
  { sql, parameters }: Statement,
): Promise<string[]> {
  const values = Object.entries(parameters).map(([name, type]) => [name, sampleOf(type)]);
  const written = withLiterals(sql, Object.fromEntries(values));
  if (written === undefined || written === sql) return [];
  try {
    const { parameterCount } = await connection.prepare(written);
    return parameterCount === 0 ? [] : [`has ${parameterCount} parameters left`];
  } catch (error) {
    return [`is refused with values: ${(error as Error).message.split("\n")[0]}`];
  }
}

function sampleOf(type: ParameterType): Parameter {
  const database_type = databaseTypeOf(type);
  if (database_type === "BOOLEAN") return true;
  if (database_type === "INTEGER[]") return Int32Array.of(1);
  if (database_type.endsWith("[]")) return database_type === "VARCHAR[]" ? ["a"] : [1];
  return database_type === "VARCHAR" ? "a" : 1;
}

function mistakesIn(
  { sql, parameters, row }: Statement,
  prepared: DuckDBPreparedStatement,
): string[] {
  const mistakes = [];
  const wanted = Object.entries(parameters).map(([name, type]) =>
    `${name} ${databaseTypeOf(type)}`
  );
  const taken = Array.from(
    { length: prepared.parameterCount },
    (_, i) => parameterOf(sql, prepared, i),
  );
  if (wanted.toSorted().join() !== taken.toSorted().join()) {
    mistakes.push(`takes (${taken.toSorted().join()}), declared (${wanted.toSorted().join()})`);
  }
  const declared = linesOf(row);
  const given = columnsOf(prepared);
  if (declared.join() !== given.join()) {
    mistakes.push(`gives (${given.join()}), declared (${declared.join()})`);
  }
  return mistakes;
}

/** A parameter's name and type; where only a plan would tell the type, the one in the text. */
function parameterOf(sql: string, prepared: DuckDBPreparedStatement, i: number): string {
  const name = prepared.parameterName(i + 1);
  try {
    return `${name} ${prepared.parameterType(i + 1)}`;
  } catch {
    const written = sql.matchAll(new RegExp(`\\$${name}\\b(?:::(\\w+(?:\\[\\])?))?`, "g"));
    return `${name} ${[...new Set(Array.from(written, ([, type]) => type ?? "?"))].join(" or ")}`;
  }
}

/** The columns that it gives; what only changes rows gives how many, which nobody reads. */
function columnsOf(prepared: DuckDBPreparedStatement): string[] {
  const columns = Array.from(
    { length: prepared.columnCount },
    (_, i) => `${prepared.columnName(i)} ${prepared.columnType(i)}`,
  );
  return prepared.statementType === StatementType.SELECT ||
      columns.some((column) => !/^(Count|Success) /.test(column))
    ? columns
    : [];
}

function linesOf(row: NounColumns): string[] {
  return Object.entries(row).map(([name, type]) => `${name} ${databaseTypeOf(type)}`);
}

/** Its first line, which says in a file what it does. */
function titleOf({ sql }: Statement): string {
  return sql.trim().split("\n")[0].trim();
}

Deno.test("statements take the parameters and give the columns that they declare", async () => {
  deepEqual(await mistakesOf(product), []);
});

Deno.test("an item of a list is written alone, and is what it is as a parameter", async () => {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const sql = "SELECT ($list::INTEGER[])[1] AS a, ($list::INTEGER[])[3] AS b, typeof(a), typeof(b)";
  const list = Int32Array.of(-7, 8);
  const written = withLiterals(sql, { list })!;
  equal(written.includes("["), false);
  const asked = await connection.runAndReadAll(sql, { list: listValue([...list]) });
  deepEqual((await connection.runAndReadAll(written)).getRows(), asked.getRows());
  connection.closeSync();
});

Deno.test("every table of a new database is declared", async () => {
  const database = await Database.open({ path: ":memory:", effects: fakeEffects().effects });
  const rows = await database.read((connection) =>
    queryRows<{ name: string }>(
      connection,
      "SELECT table_name AS name FROM duckdb_tables() WHERE NOT temporary ORDER BY name",
    )
  );
  await database.close();
  deepEqual(rows.filter(({ name }) => name.startsWith("roll_")), [], "only sessions have these");
  const declared = new Set(product.tables.map(({ name }) => name));
  deepEqual(rows.map(({ name }) => name).filter((name) => !declared.has(name)), []);
});

const lines_in_place = 8;

/** How many lines a statement has, but for the comment above it. */
function linesIn(sql: string): number {
  return sql.trim().split("\n").filter((line) => !line.startsWith("--")).length;
}

Deno.test("every statement that reads samples says which ones it reaches", () => {
  const reads = /\b(FROM|JOIN) sample\b/;
  const silent = product.statements.filter(({ sql, reach }) => reads.test(sql) && !reach);
  deepEqual(silent.map(titleOf), []);
});

Deno.test("a statement that inserts begins with that: what it adds is seen with its commit", () => {
  const text = ({ sql }: Statement) => sql.replaceAll(/--.*\n/g, "").trim();
  const inserts = product.statements.map(text).filter((sql) => /\bINSERT\b/.test(sql));
  deepEqual(inserts.filter((sql) => !sql.startsWith("INSERT INTO ")), []);
});

Deno.test("a statement of more than 8 lines is a file of its own, a shorter one is not", () => {
  const misplaced = product.statements.filter(({ sql }) =>
    sql.startsWith("--") !== linesIn(sql) > lines_in_place
  );
  deepEqual(misplaced.map(titleOf), []);
});

Deno.test("SQL without a declaration runs where nothing can be declared, and nowhere else", () => {
  const sources = filesOf(new URL("../../src/", import.meta.url)).map((url) => new URL(url));
  const found = sources.filter((url) => /\.script\(/.test(Deno.readTextFileSync(url)))
    .map(({ pathname }) => pathname.split("/src/").at(-1));
  const known = [
    ...[
      "backup/compact.ts",
      "connection.ts",
      "database.ts",
      "far_folder.ts",
      "far_proof.ts",
      "instance.ts",
    ],
    ...["migrate.ts", "query/sandbox.ts"],
    ...["extension.ts", "lake.ts", "lake_make.ts", "lake_mark.ts", "tier.ts"]
      .map((file) => `retention/${file}`),
    // Of declared statements alone.
    "statement.ts",
  ];
  deepEqual(found.toSorted(), known.map((path) => `store/${path}`));
});

Deno.test("a wrong declaration is a mistake", async () => {
  const sql = "SELECT name, value FROM meta WHERE name = $name::VARCHAR";
  const parameters: ParameterTypes = { name: "text" };
  const row: Columns = { name: "text", value: "text" };
  const cases: readonly (readonly [Statement, RegExp])[] = [
    [statement({ sql, parameters }), /gives \(name VARCHAR,value VARCHAR\), declared \(\)/],
    [statement({ sql, row }), /takes \(name VARCHAR\), declared \(\)/],
    [statement({ sql, parameters, row: { name: "text", value: "int64" } }), /value BIGINT\)/],
    [statement({ sql, parameters, row: { value: "text", name: "text" } }), /gives/],
    [statement({ sql, parameters: { name: "int32" }, row }), /takes/],
    [statement({ sql: "SELECT none FROM meta" }), /refused/],
    [statement({ sql: "DELETE FROM meta RETURNING value" }), /gives \(value VARCHAR\)/],
  ].map(([made, mistake]) => [made as unknown as Statement, mistake as RegExp]);
  for (const [made, mistake] of cases) {
    const found = await mistakesOf({ statements: [made] });
    deepEqual([found.length, mistake.test(found.join())], [1, true], found.join());
  }
  const meta: DeclaredTable = {
    name: "meta",
    columns: { name: "text", value: "int64" },
    written_by: "order",
  };
  deepEqual(await mistakesOf({ statements: [], tables: [meta] }), [
    "meta has (name VARCHAR,value VARCHAR), declared (name VARCHAR,value BIGINT)",
  ]);
});
