// Which rows and columns of which views a checked question is about, so that no others are read.
import { nodesOf, type Tree, type Views } from "./tree.ts";
import type { ViewShape } from "./view.ts";

/** A condition on a column: that it is one of some texts, or a time from or up to some value. */
export type Bound =
  & { readonly column: string }
  & (
    | { readonly is: "one"; readonly texts: readonly string[] }
    | { readonly is: "from" | "to"; readonly value: Tree }
  );

/** One place where a question reads a view. Rows that break a condition don't count there. */
export type Read = { readonly view: ViewShape; readonly conditions: readonly Bound[] };

/** What a question reads. */
export type Plan = {
  readonly reads: readonly Read[];
  /** The columns that it names, in lower case; undefined where it takes all of them. */
  readonly columns: ReadonlySet<string> | undefined;
};

/** What a checked question reads. */
export function planOf(select: Tree, views: Views): Plan {
  const all = nodesOf(select);
  // To be described, a view need not be read.
  const described = all.filter(isDescribed);
  const unread = new Set(described.flatMap(nodesOf));
  const nodes = all.filter((node) => !unread.has(node));
  const tables = nodes.filter((node) => isView(node, views));
  const by_table = new Map<Tree, readonly Bound[]>();
  for (const node of nodes) {
    if (node.type !== "SELECT_NODE") continue;
    const own = tablesIn(node.from_table as Tree | null);
    for (const { table, names } of own ?? []) {
      const view = isView(table, views) ? viewOf(table, views) : undefined;
      if (view) by_table.set(table, conditionsOf(node.where_clause as Tree, { view, names }));
    }
  }
  return {
    reads: tables.map((table) => ({
      view: viewOf(table, views),
      conditions: by_table.get(table) ?? [],
    })),
    columns: columnsIn(nodes),
  };
}

function isDescribed({ type, show_type }: Tree): boolean {
  return type === "SHOW_REF" && show_type !== "SUMMARY";
}

function isView({ type, table_name }: Tree, views: Views): boolean {
  return (type === "BASE_TABLE" || type === "SHOW_REF") && views.has(nameOf(table_name));
}

function viewOf({ table_name }: Tree, views: Views): ViewShape {
  return views.get(nameOf(table_name))!;
}

function nameOf(name: unknown): string {
  return String(name).toLowerCase().replace(/^"(.*)"$/, "$1");
}

/** A table beside others in a FROM, and how its columns are named: its alias, or none at all. */
type Placed = { readonly table: Tree; readonly names: Names };

/** `alias.column` is a column of it; a column alone is one where the table stands alone. */
type Names = { readonly alias: string; readonly isAlone: boolean };

/**
 * The tables of a FROM whose rows can be left out by WHERE alone. None where a row's place counts,
 * or which rows stand around it.
 */
function tablesIn(from: Tree | null): readonly Placed[] | undefined {
  const tables: Tree[] = [];
  const isPlain = gather(from, tables);
  if (!isPlain) return undefined;
  return tables.map((table) => ({
    table,
    names: { alias: nameOf(table.alias || table.table_name), isAlone: tables.length === 1 },
  }));
}

function gather(from: Tree | null, tables: Tree[]): boolean {
  if (!from || from.sample) return false;
  if (from.type === "JOIN") {
    const isRegular = from.ref_type === "REGULAR" || from.ref_type === "CROSS";
    return isRegular && gather(from.left as Tree, tables) && gather(from.right as Tree, tables);
  }
  tables.push(from);
  return !(from.column_name_alias as readonly string[] | undefined)?.length;
}

type Table = { readonly view: ViewShape; readonly names: Names };

/** The conditions that all rows of a table must fulfil to pass a WHERE. */
function conditionsOf(where: Tree | null, table: Table): readonly Bound[] {
  if (!where) return [];
  if (where.type === "CONJUNCTION_AND") {
    return (where.children as readonly Tree[]).flatMap((it) => conditionsOf(it, table));
  }
  if (where.class === "BETWEEN" && where.type === "COMPARE_BETWEEN") {
    const { input, lower, upper } = where as Readonly<Record<string, Tree>>;
    return [
      ...timed(input, lower, { is: "from", table }),
      ...timed(input, upper, { is: "to", table }),
    ];
  }
  if (where.type === "COMPARE_IN") {
    const [input, ...values] = where.children as readonly Tree[];
    return worded(input, values, table);
  }
  if (where.class !== "COMPARISON") return [];
  const { left, right } = where as Readonly<Record<string, Tree>>;
  const sides = comparisons[String(where.type)] ?? [];
  const isEqual = where.type === "COMPARE_EQUAL";
  return [
    ...sides.flatMap((is) => [
      ...timed(left, right, { is, table }),
      ...timed(right, left, { is: is === "from" ? "to" : "from", table }),
    ]),
    ...(isEqual ? [...worded(left, [right], table), ...worded(right, [left], table)] : []),
  ];
}

/** What a comparison says of the column on its left: that it is from, or up to, what is right. */
const comparisons: Readonly<Record<string, readonly ("from" | "to")[]>> = {
  COMPARE_EQUAL: ["from", "to"],
  COMPARE_GREATERTHAN: ["from"],
  COMPARE_GREATERTHANOREQUALTO: ["from"],
  COMPARE_LESSTHAN: ["to"],
  COMPARE_LESSTHANOREQUALTO: ["to"],
};

function timed(
  column: Tree,
  value: Tree,
  { is, table }: { readonly is: "from" | "to"; readonly table: Table },
): readonly Bound[] {
  const name = columnOf(column, table);
  const isTime = name !== undefined && table.view.times.includes(name);
  return isTime && isFixed(value) ? [{ column: name, is, value }] : [];
}

function worded(column: Tree, values: readonly Tree[], table: Table): readonly Bound[] {
  const name = columnOf(column, table);
  if (name === undefined || !table.view.words.includes(name)) return [];
  const texts = values.map(textOf);
  if (!texts.every((text) => text !== undefined)) return [];
  return [{ column: name, is: "one", texts }];
}

/** The name of a table's column that an expression is. */
function columnOf(node: Tree, { names }: Table): string | undefined {
  if (node.class !== "COLUMN_REF") return undefined;
  const said = (node.column_names as readonly string[]).map((name) => name.toLowerCase());
  if (said.length === 1 && names.isAlone) return said[0];
  return said.length === 2 && said[0] === names.alias ? said[1] : undefined;
}

/** The text that a constant is. */
function textOf(node: Tree): string | undefined {
  const { value: constant } = node as { readonly value?: Tree };
  if (node.class !== "CONSTANT" || typeof constant?.value !== "string") return undefined;
  return (constant.type as Tree).id === "VARCHAR" ? constant.value : undefined;
}

/** Whether an expression has one value, whatever the rows are. */
function isFixed(value: Tree): boolean {
  return nodesOf(value).every(({ class: kind, function_name }) =>
    (kind === undefined || fixed_classes.has(String(kind))) && function_name !== "error"
  );
}

const fixed_classes = new Set(["CAST", "CONSTANT", "FUNCTION"]);

/** The columns that a question names; undefined where it may take any by another word. */
function columnsIn(nodes: readonly Tree[]): ReadonlySet<string> | undefined {
  const named = new Set<string>();
  const tables = new Set(nodes.flatMap((node) => tableNames(node)));
  for (const node of nodes) {
    const said = wordsOf(node).map((name) => name.toLowerCase());
    // A table's name alone is its whole row; another list of names hides which is which.
    const isRow = node.class === "COLUMN_REF" && tables.has(said[0]) && said.length === 1;
    if (isRow || isOfAll(node)) return undefined;
    said.forEach((name) => named.add(name));
  }
  return named;
}

function isOfAll({ class: kind, type, ref_type, column_name_alias }: Tree): boolean {
  const isRenamed = Boolean((column_name_alias as readonly string[] | undefined)?.length);
  return kind === "STAR" || type === "SHOW_REF" || ref_type === "NATURAL" || isRenamed;
}

function tableNames({ type, alias, table_name }: Tree): readonly string[] {
  return type === "BASE_TABLE" ? [nameOf(alias || table_name)] : [];
}

function wordsOf({ class: kind, column_names, using_columns }: Tree): readonly string[] {
  const names = kind === "COLUMN_REF" ? column_names as readonly string[] : [];
  return [...names, ...(using_columns as readonly string[] | undefined ?? [])];
}
