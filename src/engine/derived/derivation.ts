// The derived tags of the plant with their formulas, ready to be worked out, level by level.
import { levelsOf } from "../../model/derived/check.ts";
import { formulaOf, parseDerived } from "../../model/derived/derived.ts";
import type { Formula } from "../../model/derived/compile.ts";
import type { Tag } from "../../model/plant/plant.ts";
import { type Catalog, wantedOf } from "../catalog/catalog.ts";
import type { Timing } from "./instant.ts";

/** A derived tag. */
export type Derivation = {
  readonly tag: Tag;
  readonly formula: Formula;
  /** Numbers of the tags that it is computed from, in the order of the formula's inputs. */
  readonly inputs: readonly number[];
  readonly timing: Timing;
  /** A value that did not change is told again after this time. */
  readonly repeat_us: number;
  /** The largest value that the tag takes. */
  readonly most: number;
};

/** The derived tags: each after those that it is derived of. */
export type Derivations = {
  readonly levels: readonly (readonly Derivation[])[];
  /** Tags whose samples are needed. */
  readonly needed: ReadonlySet<number>;
};

/** The derived tags of a plant. */
export function derivationsOf(catalog: Catalog): Derivations {
  const all = catalog.tags.filter(({ derived }) => derived !== null)
    .map((tag) => derivationOf(catalog, tag)).filter((it) => it !== undefined);
  const levels = levelsOf(new Map(all.map((it) => [`${it.tag.tag_no}`, it.inputs.map(String)])));
  const by_level = Map.groupBy(all, ({ tag }) => levels.get(`${tag.tag_no}`)!);
  return {
    levels: [...by_level.keys()].sort((a, b) => a - b).map((level) => by_level.get(level)!),
    needed: new Set(all.flatMap(({ tag, inputs, timing }) => (
      timing.on_change ? [tag.tag_no, ...inputs] : inputs
    ))),
  };
}

/** Undefined where an input is no tag of the project any more: there is nothing to compute. */
function derivationOf(catalog: Catalog, tag: Tag): Derivation | undefined {
  const definition = parseDerived(tag.derived!);
  const formula = formulaOf(definition);
  const inputs = formula.inputs.map((name) => catalog.findTag(tag.project_no, "signal", name));
  if (!inputs.every((it) => it !== undefined)) return undefined;
  const { every_s, max_age_s, on_change } = definition;
  return {
    ...{ tag, formula, inputs: inputs.map(({ tag_no }) => tag_no) },
    timing: {
      step_us: every_s === undefined ? 1 : Math.round(every_s * 1e6),
      max_age_us: Math.round(max_age_s * 1e6),
      on_change,
    },
    repeat_us: tag.carry_s * 1e6,
    most: wantedOf(catalog, tag).need.most,
  };
}
