// What a statement is given by name: written into its text, or bound to it.
import { Type } from "./result.ts";
import { cText, duckdb, Handle, lengthText } from "./symbols.ts";

/**
 * What a named parameter of a statement takes. A whole number binds as BIGINT, a list by its items.
 */
export type Parameter =
  | string
  | number
  | bigint
  | boolean
  | null
  | Int32Array
  | readonly number[]
  | readonly string[];
export type Parameters = Readonly<Record<string, Parameter>>;

/** A statement with its parameters written into it; undefined where that is not safe for one. */
export function withLiterals(sql: string, parameters: Parameters): string | undefined {
  const literals = new Map<string, string>();
  for (const [name, value] of Object.entries(parameters)) {
    const literal = literalOf(value);
    if (literal === undefined) return undefined;
    literals.set(name, literal);
  }
  if (literals.size === 0) return sql;
  const written = sql.replaceAll(
    item_of_list,
    (place, name, number) => itemLiteralOf(parameters[name], Number(number)) ?? place,
  );
  return written.replaceAll(/\$(\w+)/g, (place, name) => literals.get(name) ?? place);
}

/** One item, by its number from 1 on, of a list: DuckDB takes ten times longer to make the list. */
const item_of_list = /\(\$(\w+)::INTEGER\[\]\)\[(\d+)\]/g;

function itemLiteralOf(list: Parameter | undefined, number: number): string | undefined {
  return list instanceof Int32Array ? `CAST(${list[number - 1] ?? null} AS INTEGER)` : undefined;
}

/** What DuckDB reads as the value and type that `bind` gives, as a part of any expression. */
function literalOf(value: Parameter): string | undefined {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "object") return listLiteralOf(value);
  if (typeof value === "string") {
    return plain_text.test(value) ? `CAST('${value}' AS VARCHAR)` : undefined;
  }
  if (typeof value === "bigint" || Number.isSafeInteger(value) && !Object.is(value, -0)) {
    return `CAST(${value} AS BIGINT)`;
  }
  // With an exponent it is read as a DOUBLE, to the last bit; without, as a DECIMAL.
  const is_plain = typeof value === "number" && Number.isFinite(value) && value !== 0;
  return is_plain ? `(${value.toExponential()})` : undefined;
}

/** Words and ids, which mean themselves between quotes; a secret is longer. */
const plain_text = /^[\w -]{0,40}$/;

/** More numbers than these are read faster out of one text. */
const most_items = 20;

function listLiteralOf(value: Int32Array | readonly number[] | readonly string[]) {
  const items: readonly (number | string)[] = [...value];
  if (!items.every(Number.isSafeInteger)) return undefined;
  const plain = items.length === 0 ? "VARCHAR" : "BIGINT";
  const list = items.length > most_items
    ? `string_split('${items.join(" ")}', ' ')`
    : `[${items.join()}]`;
  return `CAST(${list} AS ${value instanceof Int32Array ? "INTEGER" : plain}[])`;
}

/** Binds a parameter of a prepared statement by its name; gives 0 if all is well. */
export function bind(
  prepared: bigint,
  { name, value }: { name: string; value: Parameter },
): number {
  const c = duckdb();
  const found = new Handle();
  const state = c.duckdb_bind_parameter_index(prepared, found.memory, cText(name));
  if (state !== 0) return state;
  const place = [prepared, found.address] as const;
  if (value === null) return c.duckdb_bind_null(...place);
  if (typeof value === "string") {
    return c.duckdb_bind_varchar_length(...place, ...lengthText(value));
  }
  if (typeof value === "boolean") return c.duckdb_bind_boolean(...place, value);
  if (typeof value === "bigint") return c.duckdb_bind_int64(...place, value);
  if (typeof value === "number") {
    return Number.isSafeInteger(value) && !Object.is(value, -0)
      ? c.duckdb_bind_int64(...place, BigInt(value))
      : c.duckdb_bind_double(...place, value);
  }
  return using(listOf(value), (list) => c.duckdb_bind_value(...place, list));
}

/** A list of DuckDB's; the caller destroys it. */
function listOf(value: Int32Array | readonly number[] | readonly string[]): bigint {
  const c = duckdb();
  if (value instanceof Int32Array) {
    return makeList(Type.INTEGER, Array.from(value, (item) => c.duckdb_create_int32(item)));
  }
  if (value.length === 0) return makeList(Type.VARCHAR, []);
  if (typeof value[0] === "string") {
    return makeList(Type.VARCHAR, (value as readonly string[]).map(textValue));
  }
  const numbers = value as readonly number[];
  return numbers.every(Number.isSafeInteger)
    ? makeList(Type.BIGINT, numbers.map((item) => c.duckdb_create_int64(BigInt(item))))
    : makeList(Type.DOUBLE, numbers.map((item) => c.duckdb_create_double(item)));
}

function textValue(text: string): bigint {
  return duckdb().duckdb_create_varchar_length(...lengthText(text));
}

/** Takes the items: they are destroyed. */
function makeList(type: Type, items: readonly bigint[]): bigint {
  const c = duckdb();
  const item_type = BigUint64Array.of(c.duckdb_create_logical_type(type));
  // No items are still memory.
  const values = BigUint64Array.from([...items, 0n]);
  const list = c.duckdb_create_list_value(item_type[0], values, BigInt(items.length));
  for (let i = 0; i < items.length; i++) c.duckdb_destroy_value(values.subarray(i));
  c.duckdb_destroy_logical_type(item_type);
  return list;
}

function using<T>(value: bigint, work: (value: bigint) => T): T {
  try {
    return work(value);
  } finally {
    duckdb().duckdb_destroy_value(BigUint64Array.of(value));
  }
}
