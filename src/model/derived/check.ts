// Checks the derived tags of a site: formulas, names, units, and that none leads round to itself.
import type { Flaw } from "../../base/fault.ts";
import { meant } from "../../base/did_you_mean.ts";
import { compile } from "./compile.ts";
import { convertedFlaw } from "./converted.ts";
import { type DerivedDefinition, type DerivedEntry } from "./derived.ts";
import { type Expression, FormulaFlaw, parseFormula, tagsOf } from "./formula.ts";
import { derived_limits } from "./limits.ts";

/** A derived tag of a site, and where it stands: `tags[3]`. */
export type DerivedTag = {
  readonly name: string;
  readonly unit: string | null;
  readonly encoding: string | null;
  readonly entry: DerivedEntry;
  readonly path: string;
};

/** What is wrong with the derived tags of a site, whose tags `units` has, each with its unit. */
export function derivedFlaws(
  derived: readonly DerivedTag[],
  units: ReadonlyMap<string, string | null>,
): Flaw[] {
  const read = derived.map((tag) => ({ tag, ...readFormula(tag) }));
  const inputs = new Map(read.map(({ tag, expression }) => (
    [tag.name, expression ? tagsOf(expression) : []] as const
  )));
  const levels = levelsOf(inputs);
  const flaws = read.flatMap(({ tag, expression, flaw }): Flaw[] => {
    const path = `${tag.path}.derived.formula`;
    const message = flaw ?? ownFlaw(tag, { expression: expression!, units }) ??
      levelFlaw(levels.get(tag.name)!);
    return message === undefined ? [] : [{ path, message }];
  });
  if (derived.length > derived_limits.site_tags) {
    const message = `has more than ${derived_limits.site_tags} derived tags`;
    flaws.push({ path: "tags", message });
  }
  return flaws;
}

/** What is kept of a derived tag. */
export function derivedDefinition(
  { unit, entry }: Pick<DerivedTag, "unit" | "entry">,
  units: ReadonlyMap<string, string | null>,
): DerivedDefinition {
  const names = tagsOf(parseFormula(entry.formula));
  const own = Object.fromEntries(names.map((name) => [name, units.get(name) ?? null]));
  return { ...entry, unit, units: own };
}

/** How derived tags are stored: bits are whole numbers, all else has a fraction. */
export function encodingOf({ formula }: Pick<DerivedEntry, "formula">): "integer" | "float" {
  return parseFormula(formula).kind === "bit" ? "integer" : "float";
}

function readFormula(
  { entry }: DerivedTag,
): { readonly expression?: Expression; readonly flaw?: string } {
  try {
    return { expression: parseFormula(entry.formula) };
  } catch (error) {
    if (error instanceof FormulaFlaw) return { flaw: error.message };
    throw error;
  }
}

function ownFlaw(
  { unit, encoding, entry }: DerivedTag,
  { expression, units }: {
    readonly expression: Expression;
    readonly units: ReadonlyMap<string, string | null>;
  },
): string | undefined {
  const names = tagsOf(expression);
  if (names.length === 0) return "names no tag: write a name in brackets, such as [INV-1.p_w]";
  if (names.length > derived_limits.inputs) return `names more than ${derived_limits.inputs} tags`;
  for (const name of names) {
    if (units.has(name)) continue;
    const near = meant(name, units.keys()) ||
      ": one that comes by messages is listed in tags first";
    return `there is no tag ${JSON.stringify(name)}${near}`;
  }
  const usual = encodingOf(entry);
  if (encoding !== null && encoding !== usual) {
    return `gives ${usual}s, and encoding is ${encoding}`;
  }
  try {
    compile(expression, { units, unit });
    return convertedFlaw(expression, { units, unit });
  } catch (error) {
    if (error instanceof FormulaFlaw) return error.message;
    throw error;
  }
}

function levelFlaw(level: number): string | undefined {
  if (level === Infinity) return "leads round: it needs itself, or tags that do";
  if (level <= derived_limits.levels) return undefined;
  return `is derived over ${level} levels of derived tags, more than ${derived_limits.levels}`;
}

/**
 * How far each derived tag is from tags that are none: 1 where it is derived of these alone,
 * infinite where it leads round.
 */
export function levelsOf(
  inputs: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> {
  const levels = new Map<string, number>();
  const left = new Set(inputs.keys());
  for (let level = 1; left.size > 0; level++) {
    const next = [...left].filter((name) => !inputs.get(name)!.some((it) => left.has(it)));
    for (const name of next.length === 0 ? left : next) {
      levels.set(name, next.length === 0 ? Infinity : level);
    }
    if (next.length === 0) break;
    for (const name of next) left.delete(name);
  }
  return levels;
}
