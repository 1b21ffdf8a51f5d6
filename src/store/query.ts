// What an operator's own SELECT answers, as text or as JSON objects.
import { Fault } from "../base/fault.ts";
import type { Answer } from "../model/data/chunk.ts";
import type { Connection } from "./connection.ts";
import { statement } from "./statement.ts";

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

/** What they hold opens doors: only who can read the files themselves may read it. */
const secret_tables = new Set([
  ...["token", "session", "sign_in_link", "password", "subscription_secret", "signing_key"],
]);

/** Functions that stand for a table and read nothing but the database. */
const known_functions = new Set(["range", "generate_series", "unnest", "duckdb_columns"]);

/**
 * Throws a `Fault` (invalid) unless `sql` is one SELECT that reads tables of the database alone:
 * no file, no other database, no secret.
 */
export async function requirePlainQuery(connection: Connection, sql: string): Promise<void> {
  const [{ tree }] = await connection.rows(tree_print, { sql });
  const read = JSON.parse(tree) as Tree & { readonly statements?: readonly unknown[] };
  if (read.statements?.length !== 1) {
    const { error_message } = read;
    const is_syntax = read.error_type === "parser" && typeof error_message === "string";
    throw new Fault("invalid", is_syntax ? error_message : "give one SELECT statement");
  }
  const tables = new Set((await connection.rows(tables_list)).map((row) => row.table_name));
  const named = new Set(nodesOf(read).flatMap(({ cte_map }) => cteNames(cte_map)));
  for (const { type, table_name, function: called, ...place } of nodesOf(read)) {
    if (type === "BASE_TABLE" || type === "SHOW_REF") {
      // By its full name, a table is there without the samples that lie in files.
      const { catalog_name = "", schema_name = "" } = place;
      if (catalog_name !== "" || schema_name !== "" && schema_name !== "main") {
        throw new Fault("invalid", `name the table alone: ${table_name}`);
      }
      const name = String(table_name).toLowerCase();
      if (secret_tables.has(name)) throw new Fault("invalid", `${name} holds secrets`);
      const is_known = tables.has(name) || name === "" || named.has(name) && /^\w+$/.test(name);
      if (!is_known) throw new Fault("invalid", `there is no table ${name}`);
    }
    if (type === "TABLE_FUNCTION") {
      const name = String((called as Tree)?.function_name).toLowerCase();
      if (!known_functions.has(name)) throw new Fault("invalid", `${name} can't be used here`);
    }
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
