// What a question in SQL may say, checked on its parsed tree by what is known, not by what is not.
import { meant } from "../../base/did_you_mean.ts";
import { Fault } from "../../base/fault.ts";
import { query_limits } from "./limits.ts";
import type { ViewShape } from "./view.ts";
import { functions, table_functions } from "./words.ts";

/** A node of a tree as the library writes it. */
export type Tree = Readonly<Record<string, unknown>>;

/** Views by their name. */
export type Views = ReadonlyMap<string, ViewShape>;

/** The one SELECT of a parsed text, checked. Throws a `Fault` (invalid) with what is there. */
export function checkedSelect(parsed: Tree, views: Views): Tree {
  const statements = parsed.statements as readonly Tree[] | undefined;
  if (parsed.error === true || statements?.length !== 1) throw notOne(parsed);
  const nodes = nodesOf(statements[0]);
  const named = new Set(nodes.flatMap((node) => namesIn(node.cte_map)));
  for (const name of named) {
    if (views.has(name)) throw refused(`${name} is a view: name the part of the query otherwise`);
  }
  for (const node of nodes) {
    requireKnown(node);
    if (node.type === "BASE_TABLE") requireTable(node, { named, views });
    if (node.type === "SHOW_REF") requireShown(node, views);
  }
  return statements[0];
}

/** Every node of a tree, itself among them. */
export function nodesOf(value: unknown): readonly Tree[] {
  const nodes: Tree[] = [];
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    if (!Array.isArray(next)) nodes.push(next as Tree);
    waiting.push(...Object.values(next));
  }
  return nodes;
}

/** The names that a query gives to parts of itself, in lower case; they count in all of it. */
function namesIn(cte_map: unknown): readonly string[] {
  const entries = (cte_map as { readonly map?: readonly { readonly key: string }[] })?.map ?? [];
  return entries.map(({ key }) => key.toLowerCase());
}

const expressions = new Set([
  ...["BETWEEN", "CASE", "CAST", "COLLATE", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "CONSTANT"],
  ...["FUNCTION", "LAMBDA", "OPERATOR", "STAR", "SUBQUERY", "WINDOW"],
]);

const parts = new Set([
  ...["SELECT_NODE", "SET_OPERATION_NODE", "BASE_TABLE", "JOIN", "SUBQUERY", "TABLE_FUNCTION"],
  ...["EXPRESSION_LIST", "EMPTY", "SHOW_REF"],
  ...["LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER", "ORDER_MODIFIER", "DISTINCT_MODIFIER"],
  ...["ORDER_DEFAULT", "ASCENDING", "DESCENDING"],
]);

/** What people may call what is refused. */
const refused_words: Readonly<Record<string, string>> = {
  PARAMETER: "a parameter such as ? or $1",
  POSITIONAL_REFERENCE: "a column by its number such as #1",
  RECURSIVE_CTE_NODE: "WITH RECURSIVE",
  PIVOT: "PIVOT or UNPIVOT",
  DEFAULT: "DEFAULT",
};

function requireKnown(node: Tree): void {
  const { class: kind, type } = node;
  if (typeof kind === "string") {
    if (!expressions.has(kind)) throw unknown(kind);
    if (typeof node.function_name === "string") requireFunction(node);
    if (kind === "COLUMN_REF") requireColumn(node);
  } else if (typeof type === "string" && !parts.has(type) && !type.endsWith("_TYPE_INFO")) {
    throw unknown(type);
  }
  if (node.type === "TABLE_FUNCTION") requireTableFunction(node);
}

/** Words that are functions where no column has their name; they tell of the database. */
const inner_words = /^(current_(user|role|catalog|schema|database)|session_user|user)$/i;

function requireColumn({ column_names }: Tree): void {
  const [name, ...more] = column_names as readonly string[];
  if (more.length === 0 && inner_words.test(name)) throw unknown(name);
}

function unknown(word: string): Fault {
  return refused(`${refused_words[word] ?? word.toLowerCase()} can't be used here`);
}

function requireFunction({ function_name, schema, catalog }: Tree): void {
  const name = String(function_name).toLowerCase();
  // The parser itself names the schema of some.
  if (functions.has(name) && (!schema || schema === "main") && !catalog) return;
  const full = [catalog, schema, name].filter((part) => part).join(".");
  throw refused(`${full} can't be used here${meant(full, functions)}`);
}

function requireTableFunction(node: Tree): void {
  const { function_name, schema, catalog } = node.function as Tree;
  const name = String(function_name).toLowerCase();
  if (table_functions.has(name) && !schema && !catalog) return;
  const known = [...table_functions].join(", ");
  throw refused(`${name} can't be read from: only views can, and ${known}`);
}

function requireTable(
  { table_name, schema_name, catalog_name, at_clause }: Tree,
  { named, views }: { readonly named: ReadonlySet<string>; readonly views: Views },
): void {
  const name = String(table_name).toLowerCase();
  if (catalog_name || schema_name) throw refused(`name the view alone: ${shown(name)}`);
  if (at_clause) throw refused(`${shown(name)} is there as it is now: leave AT out`);
  if (!named.has(name) && !views.has(name)) throw noView(name, views);
}

function noView(name: string, views: Views): Fault {
  const known = [...views.keys()];
  return refused(
    `there is no view ${shown(name)}${meant(name, known)}; there are ${known.join(", ")}`,
  );
}

/** DESCRIBE and SUMMARIZE of a view or a query, and SHOW TABLES. */
function requireShown({ table_name, query, ...place }: Tree, views: Views): void {
  const name = String(table_name ?? "").toLowerCase().replace(/^"(.*)"$/, "$1");
  const isPlain = !place.catalog_name && !place.schema_name;
  if (isPlain && (query ? name === "" : name === "tables" || views.has(name))) return;
  throw name === "" ? refused("give SHOW TABLES, or DESCRIBE and a view") : noView(name, views);
}

function notOne({ error_type, error_message }: Tree): Fault {
  const said = String(error_message ?? "");
  if (said.startsWith("Max expression depth")) return refused("the query nests too deeply");
  const isSyntax = error_type === "parser";
  return refused(
    isSyntax ? said.split("\n")[0] : "give one SELECT: views are read here, and nothing is changed",
  );
}

function shown(name: string): string {
  return name.slice(0, query_limits.name_length);
}

function refused(message: string): Fault {
  return new Fault("invalid", message);
}
