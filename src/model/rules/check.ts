// Checks rules by themselves and against the site that they watch; every flaw with its place.
import type { Flaw } from "../../base/fault.ts";
import { rule_limits } from "./limits.ts";
import { meant, meantOrKnown } from "../../base/did_you_mean.ts";
import type { RuleEntry } from "./form.ts";
import { definitionOf } from "./kinds.ts";
import { isTemplate, matchesOf, type RuleMatch, type RulePlace } from "./match.ts";

/** The place of the rule of a number. */
type PathOf = (i: number) => string;

/**
 * What is wrong with rules of the right form. `pathOf` gives the place of the rule of a number,
 * such as `rules[3]`, or nothing where it is the whole.
 */
export function ruleFlaws(
  rules: readonly RuleEntry[],
  place: RulePlace,
  { pathOf }: { readonly pathOf: PathOf },
): Flaw[] {
  const scene = { place, hint: hinter(place.tags) };
  let room = rule_limits.watchpoints;
  return rules.flatMap((rule, i): Flaw[] => {
    if (room < 0) return [];
    const own = [...whereFlaws(rule), ...definitionOf(rule).flawsOf(rule)];
    const matches = own.length > 0 ? [] : matchesOf(rule, place);
    const flaws = own.length > 0
      ? own
      : [...namedFlaws(rule, scene), ...tagFlaws(rule, matches, scene)];
    const path = pathOf(i);
    room -= matches.length;
    if (room < 0) flaws.push({ path: whereOf(rule), message: too_many });
    return flaws.map((flaw) => ({ ...flaw, path: path ? `${path}.${flaw.path}` : flaw.path }));
  });
}

const too_many = `with it the rules watch more than ${rule_limits.watchpoints} tags`;
const selectors = ["device_model", "component", "device"] as const;
const places = ["tag", "measure", "event_word"] as const;

/** Which field says where a rule watches. */
function whereOf(rule: RuleEntry): typeof places[number] {
  return places.find((name) => rule[name] !== undefined) ?? "tag";
}

function whereFlaws(rule: RuleEntry): Flaw[] {
  const [place, ...other_places] = places.filter((name) => rule[name] !== undefined);
  if (place === undefined) {
    const message = "is missing: say where it watches by tag, measure or event_word = true";
    return [{ path: "tag", message }];
  }
  const beside = (path: string, first: string) => ({ path, message: `can't be beside ${first}` });
  const flaws = other_places.map((name) => beside(name, place));
  const [selector, ...others] = selectors.filter((name) => rule[name] !== undefined);
  if (place === "tag" && !isTemplate(rule)) {
    const message = "is only for a measure, event_word or a tag with {device} in it";
    return selector === undefined ? flaws : [...flaws, { path: selector, message }];
  }
  if (selector === undefined) {
    const message = "is missing: say whose by device_model, component or device";
    return [...flaws, { path: "device_model", message }];
  }
  return [...flaws, ...others.map((name) => beside(name, selector))];
}

type Scene = { readonly place: RulePlace; readonly hint: (word: string) => string };

function namedFlaws({ device_model, device }: RuleEntry, { place }: Scene): Flaw[] {
  const flaws: Flaw[] = [];
  for (
    const [path, word, known] of [
      ["device_model", device_model, place.device_models],
      ["device", device, place.devices],
    ] as const
  ) {
    if (word === undefined || known.has(word)) continue;
    const message = `there is no ${JSON.stringify(word)}` + meantOrKnown(word, known.keys());
    flaws.push({ path, message });
  }
  return flaws;
}

/** What is wrong with the tags that a rule means: none there, or of values that it can't judge. */
function tagFlaws(
  rule: RuleEntry,
  matches: readonly RuleMatch[],
  { place, hint }: Scene,
): Flaw[] {
  const path = whereOf(rule);
  const there = matches.filter(({ tag }) => place.tags.has(tag));
  if (there.length === 0) {
    const first = rule.measure === undefined ? matches[0]?.tag : undefined;
    const message = first === undefined
      ? "no sensor or event word of the site is meant by it"
      : `there is no tag ${JSON.stringify(first)}${hint(first)}`;
    // What the selection names is not there: that is said by itself.
    return namedFlaws(rule, { place, hint }).length > 0 ? [] : [{ path, message }];
  }
  for (const { tag } of there) {
    const message = valueFlaw(rule, tag, place);
    if (message !== undefined) return [{ path, message: `${JSON.stringify(tag)} ${message}` }];
  }
  return [];
}

function valueFlaw(rule: RuleEntry, tag: string, place: RulePlace): string | undefined {
  const { values, trigger } = definitionOf(rule).needs;
  const encoding = place.tags.get(tag);
  if (values === "code" && encoding && encoding !== "integer") {
    return `holds ${encoding} values: declare its encoding integer for bits and codes`;
  }
  if (values !== "any" && encoding === "string") return "holds texts";
  if (trigger.by === "minutes" && !place.sensors.has(tag)) {
    return `is read by no sensor: a ${rule.kind} is of a measure's values`;
  }
}

/** Finds the tag that was meant, for the first few wrong ones: a project may have many tags. */
function hinter(tags: ReadonlyMap<string, unknown>): (word: string) => string {
  let left = 10;
  return (word) => left-- > 0 ? meant(word, tags.keys()) : "";
}
