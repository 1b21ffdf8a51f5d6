// What an operator's own SELECT answers, as text or as JSON objects.
import { meant } from "../../base/did_you_mean.ts";
import { Fault } from "../../base/fault.ts";
import type { Answer } from "../../model/data/chunk.ts";
import type { Connection } from "../connection.ts";
import { database_limits } from "../limits.ts";
import { statement } from "../statement.ts";

/** The names of an operator's columns. */
const names_list = statement({
  sql: "SELECT column_name AS name FROM (DESCRIBE FROM query($sql::VARCHAR))",
  parameters: { sql: "text" },
  row: { name: "text" },
  is_dynamic: true,
});

/** An operator's rows with every value as text, in the order that is asked for. */
const texts_list = statement({
  sql: "SELECT COLUMNS(*)::VARCHAR FROM query($sql::VARCHAR)",
  reach: "named",
  parameters: { sql: "text" },
  is_dynamic: true,
});

/** The rows of `sql`, which can only read, with every value as text. */
export async function textAnswer(connection: Connection, sql: string): Promise<Answer> {
  const names = await connection.rows(names_list, { sql });
  const text = { kind: "text", nullable: true, doc: "" } as const;
  return {
    columns: names.map(({ name }) => ({ ...text, name })),
    chunks: connection.chunks(texts_list, { sql }),
    metadata: {},
  };
}

/** An operator's rows as JSON objects, in the order that is asked for. */
const objects_list = statement({
  sql: "SELECT to_json(answer)::VARCHAR AS line FROM query($sql::VARCHAR) AS answer",
  reach: "named",
  parameters: { sql: "text" },
  row: { line: "text" },
  is_dynamic: true,
});

/** The same rows, one JSON object a row in a column of text. */
export function jsonAnswer(connection: Connection, sql: string): Answer {
  return {
    columns: [{ kind: "text", nullable: false, doc: "", name: "line" }],
    chunks: connection.chunks(objects_list, { sql }),
    metadata: {},
  };
}

/** How the library reads a text: each node of its tree says what it is. */
const tree_print = statement({
  sql: "SELECT json_serialize_sql($sql::VARCHAR)::VARCHAR AS tree",
  parameters: { sql: "text" },
  row: { tree: "text" },
});

/** The tables of the database. */
const tables_list = statement({
  sql: "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()",
  row: { table_name: "text" },
});

/** The library's own views, which tell of more than the tables. */
const inner_views = statement({
  sql: "SELECT lower(view_name) AS view_name FROM duckdb_views() WHERE internal",
  row: { view_name: "text" },
});

/** Functions of values that give the same for the same, and of rows. */
const functions_list = statement({
  sql: `SELECT DISTINCT lower(function_name) AS function_name FROM duckdb_functions()
    WHERE function_type IN ('scalar', 'aggregate', 'macro') AND database_name = 'system'
      AND stability IS DISTINCT FROM 'VOLATILE' AND NOT starts_with(function_name, 'pg_')`,
  row: { function_name: "text" },
});

/** What they hold opens doors: only who can read the files themselves may read it. */
const secret_tables = new Set([
  ...["token", "session", "sign_in_link", "password", "subscription_secret", "signing_key"],
  ...["read_link", "destination"],
]);

/** Functions that stand for a table and read nothing but the database; and those of chance. */
const known_functions = [
  ...["range", "generate_series", "unnest", "duckdb_columns"],
  ...["random", "uuid", "gen_random_uuid", "uuidv4", "uuidv7", "error"],
];

/** Those of them that tell of the process, or plan what may name files. */
const reaching_functions = new Set(["current_setting", "getvariable", "json_serialize_plan"]);

/** What a query may name. */
type Allowed = {
  readonly tables: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
};

/**
 * Throws a `Fault` (invalid) unless `sql` is one SELECT that reads tables of the database alone:
 * no file, no other database, no secret.
 */
export async function requirePlainQuery(connection: Connection, sql: string): Promise<void> {
  requireFlat(sql);
  await connection.standAlone();
  await connection.run(levels_set);
  const [{ tree }] = await connection.rows(tree_print, { sql });
  const read = JSON.parse(tree) as Tree & { readonly statements?: readonly unknown[] };
  if (read.statements?.length !== 1) {
    const { error_message } = read;
    const is_syntax = read.error_type === "parser" && typeof error_message === "string";
    throw new Fault("invalid", is_syntax ? error_message : "give one SELECT statement");
  }
  const nodes = nodesOf(read);
  const own = (await connection.rows(tables_list)).map((row) => row.table_name);
  const named = await namedIn(nodes, connection);
  const found = (await connection.rows(functions_list)).map((row) => row.function_name)
    .filter((name) => !reaching_functions.has(name));
  const functions = new Set([...found, ...known_functions]);
  const allowed = { tables: new Set([...own, ...named]), functions };
  for (const node of nodes) requireAllowed(node, allowed);
}

/**
 * A deeper query, such as 400 WITH parts on one another, overflows its thread's stack, which ends
 * the process.
 */
const levels_set = statement({
  sql: "SET max_expression_depth = {levels}",
  names: { levels: String(database_limits.query_levels) },
});

/** A parser of nested lists takes time and memory by the square of their depth. */
function requireFlat(sql: string): void {
  let depth = 0;
  for (const [piece] of sql.matchAll(brackets)) {
    if ("([{".includes(piece)) depth++;
    else if (")]}".includes(piece)) depth--;
    if (depth <= database_limits.query_depth) continue;
    const most = database_limits.query_depth;
    throw new Fault("invalid", `more than ${most} brackets are open at once: nest fewer`);
  }
}

/** Texts, names and comments whole; or a bracket. */
const brackets =
  /\be'(?:[^'\\]|\\.|'')*|'[^']*'|"[^"]*"|\$(\w*)\$.*?\$\1\$|--[^\n]*|\/\*.*?\*\/|[()[\]{}]/gis;

/** The names that a query gives to parts of itself; they count in all of it. */
async function namedIn(
  nodes: readonly Tree[],
  connection: Connection,
): Promise<readonly string[]> {
  const names = nodes.flatMap(({ cte_map }) => cteNames(cte_map));
  const views = new Set((await connection.rows(inner_views)).map((row) => row.view_name));
  const taken = names.find((name) => views.has(name));
  if (taken !== undefined) throw new Fault("invalid", `${taken} is a name of the database's own`);
  return names.filter((name) => /^\w+$/.test(name));
}

function requireAllowed(
  { type, table_name, function_name, ...place }: Tree,
  { tables, functions }: Allowed,
): void {
  if (type === "BASE_TABLE" || type === "SHOW_REF") {
    // By its full name, a table is there without the samples that lie in files.
    const { catalog_name = "", schema_name = "" } = place;
    if (catalog_name !== "" || schema_name !== "" && schema_name !== "main") {
      throw new Fault("invalid", `name the table alone: ${table_name}`);
    }
    const is_list = type === "SHOW_REF" && table_name === '"tables"';
    const name = String(table_name).toLowerCase().replace(/^"(\w+)"$/, "$1");
    if (secret_tables.has(name)) throw new Fault("invalid", `${name} holds secrets`);
    if (!tables.has(name) && name !== "" && !is_list) {
      throw new Fault(
        "invalid",
        `there is no table ${name}${meant(name, tables)}; SHOW TABLES lists them`,
      );
    }
  }
  if (typeof function_name === "string" && !functions.has(function_name.toLowerCase())) {
    throw new Fault(
      "invalid",
      `${function_name} can't be used here${meant(function_name, functions)}`,
    );
  }
}

type Tree = Readonly<Record<string, unknown>>;

/** Every node of a tree, itself among them. */
function nodesOf(node: unknown): readonly Tree[] {
  if (typeof node !== "object" || node === null) return [];
  const inner = Object.values(node).flatMap(nodesOf);
  return Array.isArray(node) ? inner : [node as Tree, ...inner];
}

function cteNames(cte_map: unknown): readonly string[] {
  const entries = (cte_map as { readonly map?: readonly { readonly key: string }[] })?.map ?? [];
  return entries.map(({ key }) => key.toLowerCase());
}
