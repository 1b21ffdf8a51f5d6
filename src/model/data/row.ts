// A row's shape as a column table, from which its TypeScript type derives.
import type { Kind } from "./kind.ts";

/** A text that is one of some words. */
export type OneOf<Word extends string = string, Nullable extends boolean = boolean> = {
  readonly words: readonly Word[];
  readonly nullable: Nullable;
};

/** What a column holds: a kind, with `?` where a cell can be null, or one of some words. */
export type ColumnType = Kind | `${Kind}?` | OneOf;

/** A row's shape: its columns in order. */
export type Columns = Readonly<Record<string, ColumnType>>;

declare const value: unique symbol;

/** Plain data, which is kept as JSON text. */
export type Json<Value> = { readonly json: true; readonly [value]?: Value };

/** A list of cells. */
export type ListType = `${Exclude<Kind, "bool">}[]` | `${Exclude<Kind, "bool">}[]?`;

/** What a column of a table holds: also plain data, a list of texts, or a whole number to 255. */
export type StoredType = ColumnType | Json<unknown> | "text[]" | "text[]?" | "uint8?";

/** A stored noun's shape: its columns in order. */
export type NounColumns = Readonly<Record<string, StoredType>>;

type Plain = {
  readonly text: string;
  readonly float64: number;
  /** A whole number within the safe range. */
  readonly int64: number;
  readonly int32: number;
  readonly uint32: number;
  readonly bool: boolean;
  /** Microseconds since 1970 UTC. */
  readonly instant: number;
};

/** A cell of a column. */
export type CellOf<Type extends StoredType> = Type extends Json<infer Value> ? Value
  : Type extends OneOf<infer Word, infer Nullable> ? (Nullable extends true ? Word | null : Word)
  : Type extends "uint8?" ? number | null
  : Type extends "text[]" ? readonly string[]
  : Type extends "text[]?" ? readonly string[] | null
  : Type extends `${infer K extends Kind}?` ? Plain[K] | null
  : Type extends Kind ? Plain[Type]
  : never;

/** A row of some columns. */
export type PlainRow<C extends NounColumns> = { readonly [Name in keyof C]: CellOf<C[Name]> };

/** A column of texts of which each is one of `words`. */
export function oneOf<const Word extends string>(words: readonly Word[]): OneOf<Word, false> {
  return { words, nullable: false };
}

/** A column of texts of which each is one of `words`, or null. */
export function oneOfOrNull<const Word extends string>(words: readonly Word[]): OneOf<Word, true> {
  return { words, nullable: true };
}

/** A column of plain data that is kept as JSON text. */
export function json<Value>(): Json<Value> {
  return { json: true };
}

/** The kind of a column's cells in chunks; of a list, that of its items. */
export function kindOf(type: StoredType | ListType): Kind {
  if (type === "uint8?") return "int32";
  return typeof type === "object" ? "text" : type.replace(/[[\]?]+/, "") as Kind;
}

/** Some columns, in the order named. */
export function pick<C extends NounColumns, Name extends string & keyof C>(
  columns: C,
  ...names: readonly Name[]
): Pick<C, Name> {
  return Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<C, Name>;
}

/** All columns but some. */
export function omit<C extends NounColumns, Name extends string & keyof C>(
  columns: C,
  ...names: readonly Name[]
): Omit<C, Name> {
  const rest = Object.entries(columns).filter(([name]) => !names.includes(name as Name));
  return Object.fromEntries(rest) as unknown as Omit<C, Name>;
}

/** A row of some columns in which those that can be null may be left out. */
export type Draft<Row> =
  & { readonly [Name in keyof Row as null extends Row[Name] ? never : Name]: Row[Name] }
  & { readonly [Name in keyof Row as null extends Row[Name] ? Name : never]?: Row[Name] };

/** What of a row can be null, as null. */
export type Nulls<Row> = {
  readonly [Name in keyof Row as null extends Row[Name] ? Name : never]: null;
};

/** Null for each column that can be. */
export function nullsOf<C extends NounColumns>(columns: C): Nulls<PlainRow<C>> {
  const names = Object.keys(columns).filter((name) => isNullable(columns[name]));
  return Object.fromEntries(names.map((name) => [name, null])) as Nulls<PlainRow<C>>;
}

/** Whether a column's cells can be null. */
export function isNullable(type: StoredType): boolean {
  if (typeof type === "string") return type.endsWith("?");
  return "words" in type && type.nullable;
}
