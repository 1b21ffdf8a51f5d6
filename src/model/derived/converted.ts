// Finds what a formula converts by hand though it is converted already: / 1000 from W to kW.
import { givenUnit } from "./compile.ts";
import { type Expression, partsOf } from "./formula.ts";
import { isSameKind, unitOf } from "./unit.ts";

type Product = Extract<Expression, { kind: "product" }>;

/**
 * What is wrong with a formula that multiplies by the factor between its unit and the tag's, which
 * would count twice; undefined where it does not. The formula's units fit.
 */
export function convertedFlaw(
  expression: Expression,
  { units, unit }: {
    readonly units: ReadonlyMap<string, string | null>;
    readonly unit: string | null;
  },
): string | undefined {
  const wanted = unitOf(unit);
  for (const part of partsOf(expression)) {
    if (part.kind !== "product") continue;
    const given = givenUnit(part, units);
    if (!isSameKind(given, wanted)) continue;
    const by = factorIn(part, given.factor / wanted.factor);
    if (by === undefined) continue;
    return `${by}, and ${given.name} becomes ${wanted.name} by itself: leave that out`;
  }
}

/** The number of a product that multiplies by `times`, in words. */
function factorIn({ first, rest }: Product, times: number): string | undefined {
  if (isNear(times, 1)) return undefined;
  for (const { of, is_divisor } of [{ of: first, is_divisor: false }, ...rest]) {
    if (of.kind !== "number" || of.unit.name !== "") continue;
    if (!isNear(is_divisor ? 1 / of.value : of.value, times)) continue;
    return `${is_divisor ? "divides" : "multiplies"} by ${of.value}`;
  }
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a / b - 1) < 1e-9;
}
