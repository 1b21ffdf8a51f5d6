// A row's shape as a table of columns, from which schemas, OpenAPI, Arrow and printers derive.
import type { Kind } from "./kind.ts";

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
   */
  readonly dictionary?: true;
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
