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
  /** Only there when the request asks for it. */
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
};
