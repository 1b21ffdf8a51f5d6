// Makes a formula a function of its inputs, and checks its units on the way.
import { type Expression, FormulaFlaw, tagsOf } from "./formula.ts";
import {
  combined,
  conversion,
  isSameKind,
  plain,
  unitOf,
  type UnitOfMeasure,
  unitWord,
} from "./unit.ts";

/** The values of the inputs in the order of their names. */
export type Values = readonly (number | bigint)[];

/** A formula that can be worked out. */
export type Formula = {
  /** Names of the tags that it needs. */
  readonly inputs: readonly string[];
  /** Whether it gives whole numbers only: a bit. */
  readonly is_whole: boolean;
  /** Its value in the unit that is wanted; not finite where there is none. */
  valueOf(values: Values): number;
};

/** The unit of a formula's value before it is converted. Throws a `FormulaFlaw`. */
export function givenUnit(
  expression: Expression,
  units: ReadonlyMap<string, string | null>,
): UnitOfMeasure {
  return partOf(expression, namesOf(tagsOf(expression), units)).unit;
}

type Part = {
  readonly unit: UnitOfMeasure;
  /** Zero is zero in every unit. */
  readonly is_zero?: boolean;
  readonly run: (values: Values) => number;
};

/**
 * Compiles a formula. `units` says in which unit each tag is, `unit` in which the result is wanted.
 * Throws a `FormulaFlaw` where units do not fit.
 */
export function compile(
  expression: Expression,
  { units, unit }: {
    readonly units: ReadonlyMap<string, string | null>;
    readonly unit: string | null;
  },
): Formula {
  const inputs = tagsOf(expression);
  const part = partOf(expression, namesOf(inputs, units));
  const wanted = unitOf(unit);
  if (!isSameKind(part.unit, wanted) && !part.is_zero) {
    const is = `gives ${unitWord(part.unit)}`;
    if (unit === null) throw new FormulaFlaw(`${is}: say the tag's unit`);
    const plain = inputs.find((name) => (units.get(name) ?? null) === null);
    const hint = plain === undefined ? "" : `; ${plain} has no unit: say it under tags`;
    throw new FormulaFlaw(`${is}, and the tag's unit is ${unitWord(wanted)}${hint}`);
  }
  const is_whole = expression.kind === "bit";
  return { inputs, is_whole, valueOf: inUnit(part, wanted) };
}

type Names = {
  readonly places: ReadonlyMap<string, number>;
  readonly unitOf: (name: string) => UnitOfMeasure;
};

function namesOf(inputs: readonly string[], units: ReadonlyMap<string, string | null>): Names {
  return {
    places: new Map(inputs.map((name, i) => [name, i])),
    unitOf: (name) => unitOf(units.get(name)),
  };
}

function partOf(expression: Expression, names: Names): Part {
  switch (expression.kind) {
    case "number": {
      const { value, unit } = expression;
      return { unit, is_zero: value === 0, run: () => value };
    }
    case "tag": {
      const place = names.places.get(expression.name)!;
      return { unit: names.unitOf(expression.name), run: (values) => Number(values[place]) };
    }
    case "negative": {
      const { run, ...of } = partOf(expression.of, names);
      return { ...of, run: (values) => -run(values) };
    }
    case "bit":
      return { unit: plain, run: bitOf(expression, names) };
    case "product":
      return productOf(expression, names);
    case "sum": {
      const parts = expression.parts.map(({ of }) => partOf(of, names));
      const { unit, runs } = alike(parts, "adds");
      const signs = expression.parts.map(({ is_minus }) => is_minus ? -1 : 1);
      return {
        unit,
        run(values) {
          let sum = 0;
          for (let i = 0; i < runs.length; i++) sum += signs[i] * runs[i](values);
          return sum;
        },
      };
    }
    default: {
      const { kind } = expression;
      const { unit, runs } = alike(expression.of.map((it) => partOf(it, names)), "compares");
      return {
        unit,
        run(values) {
          let found = runs[0](values);
          for (let i = 1; i < runs.length; i++) found = Math[kind](found, runs[i](values));
          return found;
        },
      };
    }
  }
}

/** What each part gives in the unit of the first that has one. */
function alike(parts: readonly Part[], verb: string) {
  const { unit } = parts.find(({ is_zero }) => !is_zero) ?? parts[0];
  for (const part of parts) {
    if (part.is_zero || isSameKind(part.unit, unit)) continue;
    const to = verb === "adds" ? "to" : "with";
    throw new FormulaFlaw(`${verb} ${unitWord(part.unit)} ${to} ${unitWord(unit)}`);
  }
  return { unit, runs: parts.map((part) => inUnit(part, unit)) };
}

function inUnit({ unit, run, is_zero }: Part, wanted: UnitOfMeasure): Part["run"] {
  const convert = is_zero ? undefined : conversion(unit, wanted);
  return convert === undefined ? run : (values) => convert(run(values));
}

function productOf(
  { first, rest }: Extract<Expression, { kind: "product" }>,
  names: Names,
): Part {
  return rest.reduce((left, { of, is_divisor }): Part => {
    const right = partOf(of, names);
    if (is_divisor && right.is_zero) throw new FormulaFlaw("divides by 0");
    const unit = combined(left.unit, right.unit, is_divisor ? -1 : 1);
    const [a, b] = [left.run, right.run];
    return { unit, run: is_divisor ? (it) => a(it) / b(it) : (it) => a(it) * b(it) };
  }, partOf(first, names));
}

/** A bit of a whole number, of 64 where it is negative; none of any other. */
function bitOf(
  { of, bit }: Extract<Expression, { kind: "bit" }>,
  { places }: Names,
): Part["run"] {
  const place = places.get(of)!;
  return (values) => {
    const value = values[place];
    if (typeof value === "number" && !Number.isSafeInteger(value)) return NaN;
    return Number(BigInt.asUintN(64, BigInt(value)) >> BigInt(bit) & 1n);
  };
}
