// A formula as it is written: [tag] + [tag] * 0.5, min(…), max(…), sum(…), bit([tag], 3).
import { derived_limits } from "./limits.ts";
import { knownUnit, plain, unitMeant, type UnitOfMeasure } from "./unit.ts";

/** A formula, or a part of it. */
export type Expression =
  | { readonly kind: "number"; readonly value: number; readonly unit: UnitOfMeasure }
  | { readonly kind: "tag"; readonly name: string }
  | { readonly kind: "negative"; readonly of: Expression }
  | {
    readonly kind: "sum";
    readonly parts: readonly { readonly of: Expression; readonly is_minus: boolean }[];
  }
  | {
    readonly kind: "product";
    readonly first: Expression;
    readonly rest: readonly { readonly of: Expression; readonly is_divisor: boolean }[];
  }
  | { readonly kind: "min" | "max"; readonly of: readonly Expression[] }
  | { readonly kind: "bit"; readonly of: string; readonly bit: number };

/** What is wrong with the text of a formula: the end of a sentence about it. */
export class FormulaFlaw extends Error {}

const how = "write it as [tag] + [tag] * 0.5, with + - * / ( ), numbers such as 5 or 5 kW, and " +
  "sum, min, max and bit([tag], 3)";

/** Reads a formula. Throws a `FormulaFlaw`. */
export function parseFormula(text: string): Expression {
  if (text.length > derived_limits.formula_length) {
    throw new FormulaFlaw(`has more than ${derived_limits.formula_length} characters`);
  }
  return new Parser(text).whole();
}

/** The tags that a formula names, each once. */
export function tagsOf(expression: Expression): readonly string[] {
  const names = partsOf(expression).flatMap((it) =>
    it.kind === "tag" ? it.name : it.kind === "bit" ? it.of : []
  );
  return [...new Set(names)];
}

/** The formula and every part of it, from the left. */
export function partsOf(expression: Expression): readonly Expression[] {
  return [expression, ...innerOf(expression).flatMap(partsOf)];
}

function innerOf(it: Expression): readonly Expression[] {
  switch (it.kind) {
    case "negative":
      return [it.of];
    case "sum":
      return it.parts.map(({ of }) => of);
    case "product":
      return [it.first, ...it.rest.map(({ of }) => of)];
    case "min":
    case "max":
      return it.of;
    default:
      return [];
  }
}

const number_form = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const tag_form = /\[((?:[^\]]|\]\])+)\](?!\])/y;
const word_form = /[\p{L}_][\p{L}\d_.:-]*/uy;
/** Longer than any unit, with what is divided by it. */
const unit_form = /[\p{L}°%Ω][^\s()+*,[\]-]{0,40}/uy;

class Parser {
  readonly #text: string;
  #at = 0;
  #nesting = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): Expression {
    const expression = this.#sum();
    this.#space();
    if (this.#at < this.#text.length) throw this.#unread();
    return expression;
  }

  #sum(): Expression {
    if (++this.#nesting > derived_limits.nesting) {
      throw new FormulaFlaw(`has brackets within brackets, more than ${derived_limits.nesting}`);
    }
    const parts = [{ of: this.#product(), is_minus: false }];
    for (let sign; (sign = this.#take("+", "-"));) {
      parts.push({ of: this.#product(), is_minus: sign === "-" });
    }
    this.#nesting--;
    return parts.length === 1 ? parts[0].of : { kind: "sum", parts };
  }

  #product(): Expression {
    const first = this.#factor();
    const rest = [];
    for (let sign; (sign = this.#take("*", "/"));) {
      rest.push({ of: this.#factor(), is_divisor: sign === "/" });
    }
    return rest.length === 0 ? first : { kind: "product", first, rest };
  }

  #factor(): Expression {
    let is_negative = false;
    for (let sign; (sign = this.#take("-", "+"));) is_negative = is_negative !== (sign === "-");
    const of = this.#operand();
    return is_negative ? { kind: "negative", of } : of;
  }

  #operand(): Expression {
    if (this.#take("(")) {
      const inner = this.#sum();
      this.#expect(")");
      return inner;
    }
    const name = this.#match(tag_form);
    if (name !== undefined) return { kind: "tag", name: name[1].replaceAll("]]", "]") };
    const number = this.#match(number_form);
    if (number !== undefined) return this.#quantity(Number(number[0]), number[0]);
    const word = this.#match(word_form);
    if (word === undefined) throw this.#unread();
    return this.#call(word[0]);
  }

  #quantity(value: number, text: string): Expression {
    if (!Number.isFinite(value)) throw new FormulaFlaw(`has ${text}, which is too large`);
    const word = this.#match(unit_form)?.[0];
    if (word === undefined) return { kind: "number", value, unit: plain };
    // `5 kW/[tag]`: as much of it as is a unit.
    for (let length = word.length; length > 0; length--) {
      const unit = knownUnit(word.slice(0, length));
      if (unit === undefined || /^[\p{L}\d]/u.test(word.slice(length))) continue;
      this.#at -= word.length - length;
      return { kind: "number", value, unit };
    }
    throw new FormulaFlaw(
      `has ${text} ${word}: ${word} is no known unit, such as kW or %${unitMeant(word)}`,
    );
  }

  #call(word: string): Expression {
    if (!this.#take("(")) {
      throw new FormulaFlaw(`has ${JSON.stringify(word)}: write the name of a tag as [${word}]`);
    }
    if (word === "bit") return this.#bit();
    const of = [this.#sum()];
    while (this.#take(",")) of.push(this.#sum());
    this.#expect(")");
    if (word === "min" || word === "max") return { kind: word, of };
    if (word === "sum") {
      return { kind: "sum", parts: of.map((it) => ({ of: it, is_minus: false })) };
    }
    throw new FormulaFlaw(`has ${word}(…): give one of sum, min, max, bit`);
  }

  #bit(): Expression {
    const name = this.#match(tag_form)?.[1].replaceAll("]]", "]");
    const number = name !== undefined && this.#take(",") ? this.#match(number_form)?.[0] : "";
    const bit = Number(number || NaN);
    if (name === undefined || !Number.isInteger(bit) || bit > 63) {
      throw new FormulaFlaw("has a bit that can't be read: write bit([tag], 3), bits are 0 to 63");
    }
    this.#expect(")");
    return { kind: "bit", of: name, bit };
  }

  #take(...signs: readonly string[]): string | undefined {
    this.#space();
    const found = signs.find((sign) => this.#text[this.#at] === sign);
    if (found !== undefined) this.#at++;
    return found;
  }

  #expect(sign: string): void {
    if (this.#take(sign) === undefined) throw this.#unread(`${sign} is missing`);
  }

  #match(form: RegExp): RegExpExecArray | undefined {
    this.#space();
    form.lastIndex = this.#at;
    const found = form.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#at = form.lastIndex;
    return found;
  }

  #space(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++;
  }

  #unread(why?: string): FormulaFlaw {
    const rest = this.#text.slice(this.#at, this.#at + 20);
    const where = rest === "" ? "at its end" : `at ${JSON.stringify(rest)}`;
    return new FormulaFlaw(`can't be read ${where}${why ? ` (${why})` : ""}: ${how}`);
  }
}
