// What a column's cells are: numbers, with a unit behind them or not, texts, words for no value.
import { Fault } from "../../base/fault.ts";
import { judgeNumbers, number_traits, type NumberStyle, readNumber, shownSign } from "./number.ts";
import type { TableOptions } from "./options.ts";

const suffix_form = new RegExp(
  "^[+-]?\\d[\\d.,'’\\u00a0\\u202f ]*?" +
    "( ?(?:%|°C?|[kMGm]?(?:W|Wh|VA|var|V|A|Hz)(?:/m²?2?)?))$",
);

/** Cells without the unit or the sign of percent behind their numbers. */
export function withoutSuffixes(cells: readonly string[]): readonly string[] {
  return cells.map((it) => {
    const [, suffix] = suffix_form.exec(it) ?? [];
    return suffix === undefined ? it : it.slice(0, -suffix.length);
  });
}

/**
 * A column is of text when it has some, and no number. A `Fault` (invalid) where its numbers have
 * several units behind them.
 */
export function kindOf(
  cells: readonly string[],
  numbers: NumberStyle,
  options: TableOptions,
): { readonly kind: "number" | "text"; readonly suffix: string } {
  const own = cells.filter((it) => !isNoValue(it, options));
  const suffixes = new Set(own.map((it) => suffix_form.exec(it)?.[1] ?? ""));
  if (suffixes.size > 1 && !suffixes.has("")) {
    const named = [...suffixes].map((it) => it.trim()).join(", ");
    throw new Fault(
      "invalid",
      `numbers of one column are of several units, ${named}, such as ${own[0]}: leave it out, ` +
        "with `false` for its name in a mapping file (--map)",
    );
  }
  const suffix = suffixes.size === 1 ? [...suffixes][0] : "";
  const isNumber = (it: string) =>
    !isNaN(readNumber(suffix === "" ? it : it.slice(0, -suffix.length), numbers)) ||
    /^(true|false)$/i.test(it);
  return { kind: own.length === 0 || own.some(isNumber) ? "number" : "text", suffix };
}

const no_value_words = new Set(
  ("|nan|null|none|n/a|na|#n/a|-|--|---|no data|nodata|bad|bad input|i/o timeout|bad data|inf|" +
    "-inf|+inf|shutdown|pt created|calc failed|not connect|comm fail|unavailable|unknown").split(
      "|",
    ),
);

/** Whether a cell says that there is no value. */
export function isNoValue(cell: string, { no_values }: TableOptions): boolean {
  return no_value_words.has(cell.toLowerCase()) || (no_values?.includes(cell) ?? false);
}

/** A cell that is looked at, and its line. */
type SeenCell = { readonly line: number; readonly text: string };

/** Keeps what all cells of a file show of their columns. */
export class CellWitness {
  readonly #style: NumberStyle;
  readonly #cellAt: (at: number) => SeenCell;
  /** Traits of numbers by a column's place. */
  readonly #bits: number[] = [];
  /** The first cells that could be two numbers. */
  readonly #either = new Map<number, SeenCell>();

  /** `cellAt` gives a cell of the row that is being read. */
  constructor(style: NumberStyle, cellAt: (at: number) => SeenCell) {
    this.#style = style;
    this.#cellAt = cellAt;
  }

  /** Notes a trait of a column's number. */
  note(at: number, trait: number): void {
    const bits = this.#bits[at] ?? 0;
    if ((bits & trait) === trait) return;
    this.#bits[at] = bits | trait;
    if (trait === number_traits.either) this.#either.set(at, this.#cellAt(at));
  }

  /** The same of a number with any signs. */
  noteSign(at: number, text: string): void {
    const sign = shownSign(text);
    if (sign === undefined) return;
    const { either, decimal, other } = number_traits;
    this.note(at, sign === "either" ? either : sign === this.#style.decimal ? decimal : other);
  }

  /** Throws a `Fault` (invalid) where the columns that were read fit two readings. */
  judge({ layout, options }: {
    readonly layout: {
      readonly toa5: boolean;
      readonly influx: boolean;
      readonly columns: readonly { readonly at: number; readonly name: string }[];
    };
    readonly options: TableOptions;
  }): void {
    const { columns, toa5, influx } = layout;
    if (toa5 || influx || options.decimal !== undefined) return;
    const traits = columns.map(({ at, name }) => (
      { name, bits: this.#bits[at] ?? 0, either: this.#either.get(at) }
    ));
    judgeNumbers(traits, this.#style);
  }
}
