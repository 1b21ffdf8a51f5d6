// Numbers as people of several countries write them: which signs a file uses, and reading them.
import { importRefusal } from "./refusal.ts";

/** How a file writes its numbers. */
export type NumberStyle = {
  readonly decimal: DecimalSign;
  /** Whether thousands may be apart: by the other sign, a space or an apostrophe. */
  readonly grouped: boolean;
};

/** The sign before a number's decimals. */
export type DecimalSign = "." | ",";

const plain_style: NumberStyle = { decimal: ".", grouped: false };
/** What may be a number in some style: digits with signs between them. */
const number_like = /^[+\u2212-]?(?=[\d.,])[\d.,'’\u00a0\u202f\u2009 ]*(?:e[+-]?\d+)?$/i;
const bare = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
/** By decimal sign: groups of three digits, the same sign between all of them. */
const grouped_forms = {
  ".": /^[+-]?[1-9]\d{0,2}(?:([,'’\u00a0\u202f\u2009 ])\d{3})(?:\1\d{3})*(?:\.\d*)?$/,
  ",": /^[+-]?[1-9]\d{0,2}(?:([.'’\u00a0\u202f\u2009 ])\d{3})(?:\1\d{3})*(?:,\d*)?$/,
} as const;
const group_signs = {
  ".": /[,'’\u00a0\u202f\u2009 ]/g,
  ",": /[.'’\u00a0\u202f\u2009 ]/g,
} as const;

/** The number that `text` writes in a style, or NaN. */
export function readNumber(text: string, { decimal, grouped }: NumberStyle): number {
  let digits = text.startsWith("\u2212") ? `-${text.slice(1)}` : text;
  if (grouped && grouped_forms[decimal].test(digits)) {
    digits = digits.replaceAll(group_signs[decimal], "");
  }
  if (decimal === ",") digits = digits.includes(".") ? "" : digits.replace(",", ".");
  return bare.test(digits) ? Number(digits) : NaN;
}

/** Whether a cell could be a number in some style. */
export function isNumberLike(text: string): boolean {
  return number_like.test(text) && /\d/.test(text);
}

/** The decimal sign that a number shows, `either` where it is another number with each. */
export function shownSign(text: string): DecimalSign | "either" | undefined {
  const point = readNumber(text, { decimal: ".", grouped: true });
  const comma = readNumber(text, { decimal: ",", grouped: true });
  if (point === comma || isNaN(point) && isNaN(comma)) return undefined;
  if (isNaN(comma)) return ".";
  return isNaN(point) ? "," : "either";
}

/** What cells show of how a column's numbers are written; bits, to be set together. */
export const number_traits = {
  /** The decimal sign of the file, or the other one. */
  decimal: 1,
  other: 2,
  /** Three digits behind a sign: decimals, or thousands apart. */
  either: 4,
  /** Whole numbers over 999 that are written in one, and smaller ones. */
  ungrouped: 8,
  small: 16,
} as const;

/** What a plain number shows by its part before the point, and how many digits are behind it. */
export function plainTrait(whole: number, decimals: number): number {
  if (decimals > 0) {
    const is_either = decimals === 3 && whole > 0 && whole < 1000;
    return is_either ? number_traits.either : number_traits.decimal;
  }
  if (whole === 0) return 0;
  return whole < 1000 ? number_traits.small : number_traits.ungrouped;
}

/** What all cells of a column show. */
export type NumberTraits = {
  readonly name: string;
  readonly bits: number;
  /** The first that could be decimals or thousands. */
  readonly either: { readonly line: number; readonly text: string } | undefined;
};

/**
 * Throws a `Fault` (invalid) where the numbers of a column fit two readings: nothing in the column
 * itself shows its decimal sign, and no other column has the same sign before its decimals.
 */
export function judgeNumbers(columns: readonly NumberTraits[], style: NumberStyle): void {
  const { decimal, other, ungrouped, small } = number_traits;
  const is_shown = columns.some(({ bits }) => (bits & decimal) !== 0);
  for (const { name, bits, either } of columns) {
    if (either === undefined) continue;
    if ((bits & other) === 0) {
      if ((bits & decimal) !== 0) continue;
      const as_others = either.text.includes(style.decimal);
      if (as_others && ((bits & ungrouped) !== 0 || is_shown && (bits & small) === 0)) continue;
    }
    const [one, two] = ([".", ","] as const).map((sign) =>
      readNumber(either.text, { decimal: sign, grouped: true })
    );
    throw importRefusal(
      `line ${either.line}, column ${name}: can't tell whether ${JSON.stringify(either.text)} is ` +
        `${one} or ${two}: say --decimal . or --decimal ,; where columns differ, leave those out ` +
        "with `false` in a mapping file (--map), and import them by themselves",
      {
        name: "decimal_unclear",
        values: { example: JSON.stringify(either.text), one, other: two },
      },
    );
  }
}

/**
 * The style in which the most cells are numbers, by columns of a table. `decimal` is the sign that
 * somebody said. Throws a `Fault` (invalid) where all cells are numbers with either sign, but not
 * the same ones.
 */
export function detectNumbers(
  columns: readonly (readonly string[])[],
  { decimal }: { readonly decimal?: DecimalSign } = {},
): NumberStyle {
  if (decimal !== undefined) return { decimal, grouped: true };
  const cells = columns.flat().filter((it) => /[.,'’\u00a0\u202f\u2009 ]/.test(it))
    .filter(isNumberLike);
  const [point, comma] = [".", ","].map((
    sign,
  ) => ({ decimal: sign, grouped: true } as NumberStyle));
  const [points, commas] = [point, comma].map((style) =>
    cells.filter((it) => !isNaN(readNumber(it, style))).length
  );
  if (points !== commas) return points > commas ? point : comma;
  const doubtful = cells.find((it) => readNumber(it, point) !== readNumber(it, comma));
  if (doubtful === undefined) return cells.length > 0 ? point : plain_style;
  // Points before three digits are decimals, but where smaller numbers have none at all.
  if (!cells.some((it) => it.includes(",")) && !columns.some(looksGrouped)) return plain_style;
  const [one, other] = [point, comma].map((style) => readNumber(doubtful, style));
  const shown = JSON.stringify(doubtful);
  const is_mixed = isNaN(one) || isNaN(other);
  throw importRefusal(
    is_mixed
      ? `some numbers have a decimal comma and some a point, such as ${shown}: say --decimal . ` +
        "or --decimal , and the others are rejected, each with its line"
      : `can't tell whether ${shown} is ${one} or ${other}: say --decimal . or --decimal ,`,
    {
      name: is_mixed ? "decimal_mixed" : "decimal_unclear",
      values: { example: shown, one, other },
    },
  );
}

/** Whether a column's numbers have a point exactly where they are 1000 or more. */
function looksGrouped(cells: readonly string[]): boolean {
  const numbers = cells.filter(isNumberLike);
  const dotted = numbers.filter((it) => it.includes("."));
  const others = numbers.filter((it) => !it.includes(".") && /[1-9]/.test(it));
  return dotted.length > 0 && others.length > 0 &&
    dotted.every((it) => /^[+-]?[1-9]\d{0,2}(\.\d{3})+$/.test(it)) &&
    others.every((it) => /^[+-]?\d{1,3}$/.test(it));
}
