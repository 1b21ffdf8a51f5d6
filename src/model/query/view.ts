// A view as people ask it with SQL: its columns, and what a question wants of it.
import type { Kind } from "../data/kind.ts";

/** What a column of a view holds: a kind; a time or a day on the clock of the site; JSON. */
export type ViewKind = Kind | "local" | "day" | "json";

/** A column of a view. */
export type ViewColumn = {
  readonly name: string;
  readonly kind: ViewKind;
  readonly doc: string;
  readonly unit?: string;
};

/** What a question's text can be checked against. */
export type ViewShape = {
  readonly name: string;
  readonly columns: readonly ViewColumn[];
  /** Columns of times by which its rows are chosen before they are read. */
  readonly times: readonly string[];
  /** Columns of texts likewise. */
  readonly words: readonly string[];
};

/**
 * What a question wants of a view. Rows outside of it make no difference to the answer: they may be
 * read or not. A bound that is missing is none.
 */
export type Wanted = {
  readonly view: string;
  readonly columns: readonly string[];
  /** The times that each column of times can have: ISO 8601, inclusive. */
  readonly from: Readonly<Record<string, string>>;
  readonly to: Readonly<Record<string, string>>;
  /** The texts that columns can have. */
  readonly words: Readonly<Record<string, readonly string[]>>;
};
