// A derived tag: its form in a site file, the definition that is kept, and what a sample of it is.
import * as z from "zod";
import { compile, type Formula } from "./compile.ts";
import { parseFormula } from "./formula.ts";
import { derived_limits } from "./limits.ts";

export const derived_form = z.strictObject({
  formula: z.string().min(1).max(derived_limits.formula_length).describe(
    "What it is computed from: names of tags in brackets, numbers, + - * / ( ), and the " +
      "functions sum, min, max and bit, such as `[INV-1.p_w] + [INV-2.p_w]`.",
  ),
  max_age_s: z.number().min(0).max(derived_limits.max_age_most_s)
    .default(derived_limits.max_age_s).describe(
      "How old the last sample of an input may be, in seconds; 0: all inputs of one instant.",
    ),
  every_s: z.number().min(0.1).max(derived_limits.every_most_s).optional().describe(
    "Makes one sample of each so many seconds, on the clock's grid, instead of one of each " +
      "instant at which an input has one.",
  ),
  on_change: z.boolean().default(false).describe(
    "Makes a sample only where value or quality change, and when carry_s is over.",
  ),
}).describe("Makes it a derived tag: the service computes it, and nobody sends it.");

/** A derived tag as a site file says it, with every default. */
export type DerivedEntry = z.output<typeof derived_form>;

/** What is kept: the entry, and the unit of each tag when it was declared. */
export type DerivedDefinition = DerivedEntry & {
  readonly unit: string | null;
  readonly units: Readonly<Record<string, string | null>>;
};

/** The text that is kept of a derived tag. */
export function derivedText(definition: DerivedDefinition): string {
  const { formula, max_age_s, every_s, on_change, unit, units } = definition;
  return JSON.stringify({ formula, max_age_s, every_s, on_change, unit, units });
}

/** What `derivedText` made a text of. */
export function parseDerived(text: string): DerivedDefinition {
  return JSON.parse(text) as DerivedDefinition;
}

/** The entry of a kept text, without what is as it is by default. */
export function shortDerived(text: string): z.input<typeof derived_form> {
  const { formula, max_age_s, every_s, on_change } = parseDerived(text);
  return {
    formula,
    ...(max_age_s === derived_limits.max_age_s ? {} : { max_age_s }),
    ...(every_s === undefined ? {} : { every_s }),
    ...(on_change ? { on_change } : {}),
  };
}

/** The formula of a definition. Throws a `FormulaFlaw`. */
export function formulaOf(
  { formula, unit, units }: Pick<DerivedDefinition, "formula" | "unit" | "units">,
): Formula {
  return compile(parseFormula(formula), { units: new Map(Object.entries(units)), unit });
}

/** A sample of an input, or of a derived tag; no value where it is bad. */
export type DerivedSample = {
  readonly ts_us: number;
  readonly value: number | bigint | null;
  /** Index into `quality_names`; null where the source reports none. */
  readonly quality: number | null;
  readonly status_code: number | null;
};

const bad = 2;

/** OPC UA's codes of what has no value: BadTypeMismatch, BadOutOfRange. */
const type_mismatch = 0x8074_0000;
const out_of_range = 0x803c_0000;

/**
 * What a formula makes of its inputs' samples. Quality and status are those of the worst input, the
 * first of several; what has no number is bad. `most`: the largest value that the tag takes.
 */
export function derive(
  { valueOf }: Pick<Formula, "valueOf">,
  { inputs, ts_us, most = Infinity }: {
    readonly inputs: readonly DerivedSample[];
    readonly ts_us: number;
    readonly most?: number;
  },
): DerivedSample {
  let worst = inputs[0];
  for (const input of inputs) if (rankOf(input) > rankOf(worst)) worst = input;
  const { quality, status_code } = worst;
  if (quality === bad) return { ts_us, value: null, quality, status_code };
  if (inputs.some(({ value }) => value === null)) {
    return { ts_us, value: null, quality: bad, status_code: type_mismatch };
  }
  const value = valueOf(inputs.map((it) => it.value!));
  if (Number.isFinite(value) && Math.abs(value) <= most) {
    return { ts_us, value: value + 0, quality, status_code };
  }
  return { ts_us, value: null, quality: bad, status_code: out_of_range };
}

/** By quality, then by how severe the status is: its two highest bits. */
function rankOf({ quality, status_code }: DerivedSample): number {
  return 10 * (quality === null ? 0 : 1 + quality) +
    (status_code === null ? 0 : 1 + (status_code >>> 30));
}
