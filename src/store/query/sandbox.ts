// A database of one question's own, in memory: it holds what was read for it, and reaches no more.
import { DuckFile } from "../duckdb/client.ts";
import { library } from "../duckdb/library.ts";
import { Connection } from "../connection.ts";
import { FarDays } from "../far.ts";
import { quoted, statement } from "../statement.ts";
import { assert } from "../../base/assert.ts";
import { Fault } from "../../base/fault.ts";
import type { Answer, Chunk, Vector } from "../../model/data/chunk.ts";
import type { Column } from "../../model/data/column.ts";
import { query_limits } from "../../model/query/limits.ts";
import { checkedSelect, type Tree, type Views } from "../../model/query/tree.ts";
import type { ViewKind, ViewShape } from "../../model/query/view.ts";

/** A Parquet file with rows of a view, and the texts that stand for columns which it lacks. */
export type ViewFile = {
  readonly path: string;
  readonly columns: readonly string[];
  readonly constants: Readonly<Record<string, string>>;
};

/** Rows of a view. */
export type ViewRows = { readonly view: string; readonly files: readonly ViewFile[] };

const database_types = {
  text: "VARCHAR",
  float64: "DOUBLE",
  int64: "BIGINT",
  int32: "INTEGER",
  uint32: "UINTEGER",
  bool: "BOOLEAN",
  instant: "TIMESTAMPTZ",
  local: "TIMESTAMP",
  day: "DATE",
  json: "JSON",
} as const satisfies Record<ViewKind, string>;

/** All that has a name of its own before there are views. */
const taken_list = statement({
  sql: `
    SELECT lower(view_name) AS name FROM duckdb_views()
    UNION SELECT lower(table_name) FROM duckdb_tables()
    UNION SELECT lower(function_name) FROM duckdb_functions()
    WHERE function_type IN ('table', 'table_macro', 'pragma')`,
  row: { name: "text" },
});

/** How the library reads a text: each node of its tree says what it is. */
const tree_print = statement({
  sql: "SELECT json_serialize_sql($sql::VARCHAR)::VARCHAR AS tree",
  parameters: { sql: "text" },
  row: { tree: "text" },
});

/** The text of a tree. */
const text_print = statement({
  sql: "SELECT json_deserialize_sql($tree::JSON)::VARCHAR AS text",
  parameters: { tree: "text" },
  row: { text: "text" },
});

/** The names and types of what a question gives. */
const columns_list = statement({
  sql: "SELECT column_name AS name, column_type AS type FROM (DESCRIBE FROM query($sql::VARCHAR))",
  parameters: { sql: "text" },
  row: { name: "text", type: "text" },
  is_dynamic: true,
});

/** An instant, as UTC, that a question names. */
const instant_find = statement({
  sql: `
    SELECT strftime(TRY_CAST(v AS TIMESTAMPTZ) AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ') AS at
    FROM query($sql::VARCHAR) AS t(v)`,
  parameters: { sql: "text" },
  row: { at: "text?" },
  is_dynamic: true,
});

/** A time on the clock of the site that it names. */
const local_find = statement({
  sql: `
    SELECT strftime(TRY_CAST(v AS TIMESTAMP), '%Y-%m-%dT%H:%M:%S.%f') AS at
    FROM query($sql::VARCHAR) AS t(v)`,
  parameters: { sql: "text" },
  row: { at: "text?" },
  is_dynamic: true,
});

/** Where the library lies that this process works with; empty where it was not unpacked. */
export function libraryFolder(): string {
  return library.folder;
}

/** The library writes a number that is too large for it as a word that JSON does not have. */
function readTree(text: string): Tree {
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault("invalid", "a number in the query is too large");
  }
}

/** Holds the views of one question, and answers it. */
export class Sandbox {
  readonly #duckdb: DuckFile;
  readonly #connection: Connection;
  readonly #taken: ReadonlySet<string>;

  private constructor(duckdb: DuckFile, connection: Connection, taken: ReadonlySet<string>) {
    this.#duckdb = duckdb;
    this.#connection = connection;
    this.#taken = taken;
  }

  /**
   * Opens one without rows; times without an offset are of a zone. It reaches nothing but a folder,
   * and no setting changes that.
   */
  static async open(
    { timezone, library_folder, folder }: {
      readonly timezone: string;
      readonly library_folder: string;
      readonly folder: string;
    },
  ): Promise<Sandbox> {
    library.folder = library_folder;
    const duckdb = await DuckFile.open(":memory:", {
      threads: "1",
      memory_limit: `${query_limits.memory_mb}MiB`,
      temp_directory: "",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      allow_community_extensions: "false",
      allow_unsigned_extensions: "false",
    });
    const connection = new Connection(duckdb.connect(), { far: new FarDays("") });
    const taken = new Set((await connection.rows(taken_list)).map(({ name }) => name));
    await connection.script(`
      SET TimeZone = ${quoted(timezone)};
      SET allowed_directories = [${quoted(`${folder}/`)}];
      SET enable_external_access = false;
      SET lock_configuration = true`);
    return new Sandbox(duckdb, connection, taken);
  }

  /** The checked tree of a question. Throws a `Fault` (invalid) with what is wrong. */
  async parse(sql: string, views: Views): Promise<Tree> {
    const [{ tree }] = await this.#connection.rows(tree_print, { sql });
    return checkedSelect(readTree(tree), { views, taken: this.#taken });
  }

  /** The time that an expression of a checked tree is; undefined where it is none. */
  async timeOf(value: Tree, kind: ViewKind): Promise<string | undefined> {
    try {
      const [{ tree }] = await this.#connection.rows(tree_print, { sql: "SELECT 1" });
      const whole = JSON.parse(tree);
      whole.statements[0].node.select_list = [value];
      const given = { tree: JSON.stringify(whole, placeless) };
      const [{ text: sql }] = await this.#connection.rows(text_print, given);
      const find = kind === "instant" ? instant_find : local_find;
      const [{ at }] = await this.#connection.rows(find, { sql });
      return at !== null && /^\d{4}-/.test(at) ? at : undefined;
    } catch {
      // The question itself will say what is wrong with it.
      return undefined;
    }
  }

  /** Makes the views over files with their rows; one without any has its columns. */
  async makeViews(views: readonly ViewShape[], rows: readonly ViewRows[]): Promise<void> {
    for (const view of views) {
      const files = rows.find((it) => it.view === view.name)?.files ?? [];
      await this.#connection.script(viewText(view, files));
    }
  }

  /** The columns that a checked question gives. Throws what the library says is wrong with it. */
  columnsOf(sql: string): Promise<readonly { readonly name: string; readonly type: string }[]> {
    return this.#connection.rows(columns_list, { sql });
  }

  /** What a checked question gives, in the order that it asks for. */
  async answer(sql: string): Promise<Answer> {
    const found = await this.columnsOf(sql);
    const outs = found.map(({ name, type }, i) => outOf(name, { type, at: `c${i}` }));
    const names = new Set<string>();
    const columns = outs.map(({ column }) => {
      let { name } = column;
      for (let i = 1; names.has(name); i++) name = `${column.name}_${i}`;
      names.add(name);
      return { ...column, name };
    });
    const chunks = await this.#connection.pieces({
      sql: filled(rows_list, {
        outs: outs.map(({ sql }) => sql).join(", "),
        names: outs.map((_, i) => `c${i}`).join(", "),
        most: String(query_limits.answer_rows + 1),
      }),
      parameters: { sql: "text" },
      reach: undefined,
    }, { sql });
    return { columns, chunks: shaped(chunks, columns), metadata: {} };
  }

  close(): void {
    this.#connection.close();
    this.#duckdb.close();
  }
}

/** A place in a text that is no place is written as a number that no number here can be. */
function placeless(key: string, value: unknown): unknown {
  if (key === "query_location") return 0;
  assert(!Number.isInteger(value) || Number.isSafeInteger(value), "a number that lost digits");
  return value;
}

/** The rows of an answer, within their bound; the library gives instants as plain numbers. */
function* shaped(chunks: Iterable<Chunk>, columns: readonly Column[]): Generator<Chunk, void> {
  let rows = 0;
  for (const chunk of chunks) {
    rows += chunk.rows;
    if (rows > query_limits.answer_rows) {
      const most = query_limits.answer_rows;
      throw new Fault("too_large", `the answer has more than ${most} rows: group them, or LIMIT`);
    }
    const vectors = chunk.vectors.map((vector, i): Vector =>
      vector.kind === "int64" && columns[i].kind === "instant"
        ? { ...vector, kind: "instant" }
        : vector
    );
    yield { rows: chunk.rows, vectors };
  }
}

const rows_list = "SELECT {outs} FROM query($sql::VARCHAR) AS t({names}) LIMIT {most}";
const view_make = "CREATE OR REPLACE VIEW {name} AS {parts}";
const file_rows = "SELECT {cells} FROM read_parquet([{paths}])";
const no_rows = "SELECT {cells} WHERE false";

/** A template with its parts. */
function filled(template: string, parts: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name) => parts[name]);
}

/** A view over files; without any it has its columns and no rows. */
function viewText({ name, columns }: ViewShape, files: readonly ViewFile[]): string {
  const cellsOf = (valueOf: (name: string) => string) =>
    columns.map(({ name, kind }) => `${valueOf(name)}::${database_types[kind]} AS ${named(name)}`)
      .join(", ");
  const alike = Map.groupBy(
    files,
    ({ columns, constants }) => JSON.stringify([columns, constants]),
  );
  const parts = [...alike.values()].map((some) => {
    const [{ columns: own, constants }] = some;
    const valueOf = (name: string) => {
      if (Object.hasOwn(constants, name)) return quoted(constants[name]);
      return own.includes(name) ? named(name) : "NULL";
    };
    const paths = some.map(({ path }) => quoted(path)).join(", ");
    return filled(file_rows, { cells: cellsOf(valueOf), paths });
  });
  if (parts.length === 0) parts.push(filled(no_rows, { cells: cellsOf(() => "NULL") }));
  return filled(view_make, { name: named(name), parts: parts.join(" UNION ALL ") });
}

/** How a column of some type goes out. */
function outOf(
  name: string,
  { type, at }: { readonly type: string; readonly at: string },
): { readonly sql: string; readonly column: Column } {
  const make = (kind: Column["kind"], sql: string, json?: object) => ({
    sql,
    column: { name, kind, nullable: true, doc: "", ...(json ? { json } : {}) },
  });
  if (type === "BOOLEAN") return make("bool", at);
  if (/^U?(TINY|SMALL)INT$|^INTEGER$/.test(type)) return make("int32", `${at}::INTEGER`);
  if (/^(U|HUGE|UHUGE|BIG|UBIG)INT(EGER)?$/.test(type)) return make("int64", `${at}::BIGINT`);
  if (/^(FLOAT|DOUBLE|DECIMAL.*)$/.test(type)) {
    return make("float64", `CASE WHEN isfinite(${at}::DOUBLE) THEN ${at}::DOUBLE END`);
  }
  if (type === "TIMESTAMP WITH TIME ZONE") {
    return make("instant", `CASE WHEN isfinite(${at}) THEN epoch_us(${at}) END`);
  }
  if (/[[(]|^JSON$/.test(type)) return make("text", `to_json(${at})::VARCHAR`, {});
  return make("text", `${at}::VARCHAR`);
}

function named(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
