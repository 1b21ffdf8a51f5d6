// The derived tags of a site file, and the units of all its tags.
import { derivedDefinition, type DerivedTag } from "../derived/check.ts";
import type { DerivedDefinition } from "../derived/derived.ts";
import { unitMeant } from "../derived/unit.ts";
import { measures } from "../plant/measure.ts";
import { sourceDefinition } from "../sources/kinds.ts";
import { source_tag_names } from "../sources/source.ts";
import type { SiteFile } from "./file.ts";

/** The derived tags in the order of the file. */
export function derivedTags({ tags }: Pick<SiteFile, "tags">): readonly DerivedTag[] {
  return tags.flatMap(({ name, unit = null, encoding = null, derived }, i) =>
    derived === undefined ? [] : [{ name, unit, encoding, entry: derived, path: `tags[${i}]` }]
  );
}

/**
 * Every tag that the file names, with its unit: what is said of the tag, else that of the measure
 * whose sensor takes the tag's values as they are.
 */
export function tagUnits(file: SiteFile): ReadonlyMap<string, string | null> {
  const units = new Map<string, string | null>();
  for (const source of file.sources) {
    for (const name of source_tag_names) units.set(`${source.key}.${name}`, null);
    for (const { name } of sourceDefinition(source).tagsOf(source)) units.set(name, null);
  }
  for (const { event_tag } of file.devices) if (event_tag) units.set(event_tag, null);
  for (const { tag, measure, scale, offset, accumulation } of file.sensors) {
    const { unit, over_time } = measures.get(measure)!;
    const is_integral = accumulation === "none" && over_time === "increment";
    const is_as_it_is = scale === 1 && offset === 0 && !is_integral && unit !== "code";
    units.set(tag, units.get(tag) ?? (is_as_it_is ? unit : null));
  }
  for (const { name, unit } of file.tags) units.set(name, unit ?? units.get(name) ?? null);
  return units;
}

/** Units of tags that are no known ones but look like one, each word once. */
export function unitWarnings({ tags }: Pick<SiteFile, "tags">): readonly string[] {
  const by_unit = Map.groupBy(tags.keys(), (i) => tags[i].unit ?? "");
  return Array.from(by_unit, ([unit, [first, ...others]]) => {
    const near = unitMeant(unit);
    const more = others.length === 0 ? "" : ` (and ${others.length} others)`;
    const at = `tags[${first}].unit${more}`;
    return near && `${at}: ${JSON.stringify(unit)} is no unit that formulas convert${near}`;
  }).filter((it) => it !== "");
}

/** What is kept of each derived tag, by its name. */
export function derivedDefinitions(file: SiteFile): ReadonlyMap<string, DerivedDefinition> {
  const derived = derivedTags(file);
  if (derived.length === 0) return new Map();
  const units = tagUnits(file);
  return new Map(derived.map((tag) => [tag.name, derivedDefinition(tag, units)]));
}
