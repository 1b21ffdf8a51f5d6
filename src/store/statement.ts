// A statement as a value: its text, the parameters it takes and the columns of its rows.
import type { Kind } from "../model/data/kind.ts";
import type { Reach } from "./far.ts";
import type { CellOf, Columns, ColumnType, ListType, NounColumns } from "../model/data/row.ts";

/** What a parameter takes: a cell, or a list of cells. */
export type ParameterType = ColumnType | ListType;

/** Parameters by name. */
export type ParameterTypes = Readonly<Record<string, ParameterType>>;

type ListOf<K extends Kind> = readonly CellOf<K>[] | (K extends "int32" ? Int32Array : never);

type ValueOf<Type extends ParameterType> = Type extends `${infer K extends Kind}[]?`
  ? ListOf<K> | null
  : Type extends `${infer K extends Kind}[]` ? ListOf<K>
  : Type extends ColumnType ? CellOf<Type>
  : never;

/** Values for parameters. */
export type ValuesOf<P extends ParameterTypes> = { readonly [Name in keyof P]: ValueOf<P[Name]> };

/** What a call gives a statement beside itself: nothing, if it takes no parameters. */
export type Given<P extends ParameterTypes> = keyof P extends never ? [] : [values: ValuesOf<P>];

type None = Readonly<Record<never, never>>;

/** What makes a statement; left out: it takes no parameters, it gives no rows. */
export type StatementParts<P extends ParameterTypes, C extends Columns> = {
  /**
   * Over 8 lines, it lies in an .sql file beside its reader; else it stands in the reader. `{row}`
   * in it stands for the names of the row's columns, `{x}` for the names that `names` has as x.
   */
  readonly sql: string;
  readonly parameters?: P;
  readonly row?: C;
  readonly names?: Readonly<Record<string, string>>;
  /** Lists in the text by name: what each column of the row is there. */
  readonly lists?: Readonly<Record<string, Readonly<Record<keyof C, string>>>>;
  /** Which samples it reads, for some lie in files; it is said of every one that reads any. */
  readonly reach?: Reach;
  /** Its rows, or what it reads, depend on a parameter: nothing can be compared before it runs. */
  readonly is_dynamic?: boolean;
};

const made: Statement<ParameterTypes, Columns>[] = [];

/**
 * A statement for `Connection` to run. Its declaration is not checked as it runs: a test prepares
 * every statement on a migrated database and compares. Null cells are on trust.
 */
export class Statement<
  P extends ParameterTypes = ParameterTypes,
  C extends Columns = Columns,
> {
  readonly parameters: P;
  readonly row: C;
  readonly is_dynamic: boolean;
  readonly reach: Reach | undefined;
  /** Private, so that nothing but this class makes one and `allStatements` has them all. */
  readonly #sql: string;
  readonly #parts: Pick<StatementParts<P, C>, "sql" | "row" | "names" | "lists">;

  constructor({ parameters, reach, is_dynamic = false, ...parts }: StatementParts<P, C>) {
    const { row } = this.#parts = parts;
    this.#sql = this.#listing(Object.keys(row ?? {}));
    this.parameters = parameters ?? {} as P;
    this.row = row ?? {} as C;
    this.is_dynamic = is_dynamic;
    this.reach = reach;
    made.push(this as unknown as Statement);
  }

  get sql(): string {
    return this.#sql;
  }

  /**
   * The same with those of its columns alone: the database reads what they need. A text with lists
   * has no others; to plan for columns that nobody wants takes as long as to read a small answer.
   */
  pick(names: readonly (keyof C & string)[]): Runnable<P> {
    const { parameters, reach } = this;
    const sql = this.#parts.lists
      ? this.#listing(names)
      : filled("SELECT {names} FROM ({rows})", { names: names.join(", "), rows: this.#sql });
    return { sql, parameters, reach };
  }

  #listing(names: readonly (keyof C & string)[]): string {
    const { sql, row, names: places, lists = {} } = this.#parts;
    const listed = Object.entries(lists).map(([list, columns]) =>
      [list, names.map((name) => `${columns[name]} AS "${name}"`).join(", ")] as const
    );
    // What a list says may have places, too.
    const text = filled(sql, Object.fromEntries(listed));
    return filled(text, { row: namesOf(row ?? {}), ...places });
  }
}

/** What it takes to run a statement whose rows come as columns. */
export type Runnable<P extends ParameterTypes> = Pick<Statement<P>, "sql" | "parameters" | "reach">;

/** Makes a statement; made once, where its module is loaded. */
export function statement<
  const P extends ParameterTypes = None,
  const C extends Columns = None,
>(parts: StatementParts<P, C>): Statement<P, C> {
  return new Statement(parts);
}

/** The names of columns, as a statement lists them. */
export function namesOf(columns: NounColumns): string {
  return Object.keys(columns).map((name) => `"${name}"`).join(", ");
}

/** The same where each is set to what `from` has of it: `name = from.name`. */
export function assignmentsOf(columns: NounColumns, from: string): string {
  return Object.keys(columns).map((name) => `"${name}" = ${from}."${name}"`).join(", ");
}

/** SQL that no declaration describes, with texts for its `{names}`, which the caller quotes. */
export function filled(sql: string, values: Readonly<Record<string, string | number>>): string {
  return sql.replaceAll(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));
}

/** Runs statements that take and give nothing as one: each by itself waits for another thread. */
export function runAll(
  connection: { readonly script: (sql: string) => Promise<void> },
  statements: readonly Pick<Statement, "sql">[],
): Promise<void> {
  return connection.script(statements.map(({ sql }) => sql).join("\n;\n"));
}

/** A text as SQL has it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Every statement of the modules that are loaded. */
export function allStatements(): readonly Statement[] {
  return made;
}
