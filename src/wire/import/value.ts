// What a column's cells are: numbers, with a unit behind them or not, texts, words for no value.
import { Fault } from "../../base/fault.ts";
import { judgeNumbers, number_traits, type NumberStyle, readNumber, shownSign } from "./number.ts";
import type { TableOptions } from "./options.ts";

const suffix_form = new RegExp(
  "^[+\u2212-]?\\d[\\d.,'’\\u00a0\\u202f ]*?" +
    "( ?(?:%|°[CF]?|€|\\$|EUR|USD|K|m/s|km/h|mm|[hk]?Pa|m?bar|rpm|h|min|s|lx|" +
    "[kMGmµ]?(?:Wp?|Wh|VA|VAh|varh?|V|A|Ah|Hz)(?:/m²?2?)?))$",
);

/** A unit, as a row of units has it. */
export const unit_form = new RegExp(
  String.raw`^(?:\[.*\]|\(.*\)|TS|RN|-|%|°|deg|°?[CFK]|[dD]eg\.? ?[CFK]|degrees|` +
    String
      .raw`(?:[kMGmµ]?(?:W|Wh|VA|VAh|var|VAr|varh|VArh|V|A|Ah|Hz|Ohm|Ω|Pa|J|g|m|s|h|l|lx|bar)|` +
    String.raw`mps|min|mm|cm|km|lux|rpm)(?:p|dc|ac)?` +
    String.raw`(?:[/ ·*^-]{0,2}(?:m|mm|h|s|min|K)(?:\^?-?[23²³])?)*)$`,
);
/** How values are made, in a row below or above that of the names. */
export const processing =
  /^(avg|average|mean|smp|sample|min|max|tot|total|sum|std|counter|analog|summe|instant)$/i;
const unit_in_name = /([[(])([^\])]{1,20})[\])]\s*$/;

/** Whether a cell of a header is no name: a unit, or a way of making values. */
export function isUnit(cell: string): boolean {
  return unit_form.test(cell) || processing.test(cell);
}

/** The unit in brackets behind a name: in round ones also stand numbers and words. */
export function unitInName(name: string): string | undefined {
  const [, open, text] = unit_in_name.exec(name) ?? [];
  return open === "(" && !unit_form.test(text) ? undefined : text;
}

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
    "-inf|+inf|shutdown|pt created|calc failed|not connect|comm fail|unavailable|unknown|" +
    "#div/0!|#value!|#wert!|#ref!|#bezug!|#num!|#zahl!|#null!|#name?").split("|"),
);

/** Whether a cell says that there is no value. */
export function isNoValue(cell: string, { no_values }: TableOptions): boolean {
  return no_value_words.has(cell.toLowerCase()) || (no_values?.includes(cell) ?? false);
}

/** A cell that is looked at, and its line. */
type SeenCell = { readonly line: number; readonly text: string };

/** A number with other signs around it than those that are read: its sides, and the number. */
const dressed_form = /^([^\p{L}\d]{0,3})(\d[\d.,'’\u00a0\u202f ]*?)(\s?\D{0,8}[23²³]?)$/u;

/** What the texts of a column show. */
type SeenTexts = {
  count: number;
  /** The first text; the first that is a number in the middle of texts. */
  readonly first: SeenCell;
  number?: SeenCell;
  /** The first number with signs around it, how many have the same ones, and whether it changes. */
  dressed?: readonly string[];
  alike: number;
  varied: boolean;
};

/** Keeps what all cells of a file show of their columns. */
export class CellWitness {
  readonly #style: NumberStyle;
  readonly #cellAt: (at: number) => SeenCell;
  /** Traits of numbers by a column's place. */
  readonly #bits: number[] = [];
  /** The first cells that could be two numbers. */
  readonly #either = new Map<number, SeenCell>();
  readonly #texts = new Map<number, SeenTexts>();
  /** By the key of rows. */
  readonly #units = new Map<object, string>();

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

  /** Notes a cell that is stored as a text. */
  noteText(at: number, text: string): void {
    const [, before, number, behind] = dressed_form.exec(text) ?? [];
    const dressed = number === undefined ? undefined : [before, number, behind];
    let seen = this.#texts.get(at);
    if (!seen) {
      seen = { count: 0, first: this.#cellAt(at), dressed, alike: 0, varied: false };
      this.#texts.set(at, seen);
    }
    seen.count++;
    if (dressed === undefined) return;
    if (!seen.number && !isNaN(readNumber(text, this.#style))) seen.number = this.#cellAt(at);
    seen.dressed ??= dressed;
    const [first_before, first_number, first_behind] = seen.dressed;
    if (before !== first_before || behind !== first_behind) return;
    seen.alike++;
    if (number !== first_number) seen.varied = true;
  }

  /** Throws a `Fault` (invalid) where the values of one key have another unit than before. */
  noteUnit(key: object, unit: string): void {
    const known = this.#units.get(key);
    if (known === unit || unit === "") return;
    this.#units.set(key, unit);
    if (known === undefined) return;
    const { line } = this.#cellAt(0);
    throw new Fault(
      "invalid",
      `line ${line}: the unit is ${unit}, and it was ${known} before: make a file for each unit, ` +
        "or say with --key-column which columns name what a value is of",
    );
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
    if (toa5 || influx) return;
    for (const { at, name } of columns) judgeTexts(name, this.#texts.get(at));
    if (options.decimal !== undefined) return;
    const traits = columns.map(({ at, name }) => (
      { name, bits: this.#bits[at] ?? 0, either: this.#either.get(at) }
    ));
    judgeNumbers(traits, this.#style);
  }
}

/** Throws a `Fault` (invalid) where texts of a column are numbers, alone or in other signs. */
function judgeTexts(name: string, texts: SeenTexts | undefined): void {
  if (!texts) return;
  const { count, first, number, alike, varied } = texts;
  const leave = "or leave the column out with `false` for its name in a mapping file (--map)";
  const shown = JSON.stringify(first.text.slice(0, 40));
  if (number) {
    throw new Fault(
      "invalid",
      `line ${number.line}, column ${name}: ${number.text} is a number, and the first cells are ` +
        `texts such as ${shown}: if that means no value, say --no-value ${shown}, ${leave}`,
    );
  }
  if (2 * alike <= count || !varied) return;
  throw new Fault(
    "invalid",
    `line ${first.line}, column ${name}: cells such as ${shown} are numbers with signs that are ` +
      `not understood: say --decimal, write them as plain numbers, ${leave}`,
  );
}
