// A row's shape as a table of columns, from which schemas, OpenAPI, Arrow and printers derive.
import type { Kind } from "./kind.ts";
import { isNullable, kindOf, type NounColumns, type OneOf } from "./row.ts";

/**
 * One column of an answer: its name from SQL to JSON, its kind, and a sentence for the reference.
 */
export type Column = {
  readonly name: string;
  readonly kind: Kind;
  readonly nullable: boolean;
  readonly doc: string;
  /** Not always there: only when the request asks for it, or only in rows that have a value. */
  readonly optional?: true;
  /** Unit of a number, where it is always the same. */
  readonly unit?: string;
  /** The values that a text column can hold, where they are a fixed set. */
  readonly values?: readonly string[];
  /**
   * A text column of few distinct words known before the first row: its chunks hold codes into one
   * dictionary for the whole answer. A text column without it holds words of its own in each chunk.
   * `constant`: one word, or none, in all rows.
   */
  readonly dictionary?: true | "constant";
  /** A text column that holds JSON, which JSON answers hold as it is: its schema. */
  readonly json?: object;
};

/** A row of some columns as JSON has it; an instant as its text. */
export type RowOf<C extends readonly Column[]> =
  & { readonly [K in Always<C[number]> as K["name"]]: Cell<K> }
  & { readonly [K in Exclude<C[number], Always<C[number]>> as K["name"]]?: Cell<K> };

type Always<C extends Column> = C extends { readonly optional: true } ? never : C;
type Cell<C extends Column> =
  | (C extends { readonly json: object } ? unknown : C["kind"] extends "text" | "instant" ? string
  : C["kind"] extends "bool" ? boolean
  : number)
  | (C["nullable"] extends true ? null : never);

/** A column of an answer that is a stored noun's own. */
export type Field<C extends NounColumns, Name extends string & keyof C> = {
  readonly name: Name;
  readonly kind: FieldKind<C[Name]>;
  readonly nullable: C[Name] extends `${string}?` | OneOf<string, true> ? true : false;
  readonly doc: string;
  readonly values?: readonly string[];
};

type FieldKind<Type> = Type extends `${infer K extends Kind}?` ? K
  : Type extends Kind ? Type
  : "text";

/** Makes columns of answers from a stored noun's: what they hold is as it is kept. */
export function fieldOf<C extends NounColumns>(columns: C) {
  return <Name extends string & keyof C>(name: Name, doc: string): Field<C, Name> => {
    const type = columns[name];
    const values = typeof type === "object" && "words" in type ? { values: type.words } : {};
    const field = { name, kind: kindOf(type), nullable: isNullable(type), ...values, doc };
    return field as Field<C, Name>;
  };
}
