// What can be told of how the parts of a site file agree while some of them are wrong in form.
import * as z from "zod";
import type { Flaw } from "../../base/fault.ts";
import { site_schema, type SiteFile } from "./file.ts";

/** Places in plain data, such as ["devices", 3, "type"]. */
type Place = readonly PropertyKey[];

/** What is right in form, and what was left out of it. */
type Rest = {
  readonly file: SiteFile;
  /** By list, the places that its entries have in the whole file. */
  readonly places: ReadonlyMap<string, readonly number[]>;
  /** The names of what was left out, and of its tags: whoever says one of them can't be judged. */
  readonly words: ReadonlySet<string>;
};

/**
 * The flaws of the parts that are right in form, as `flawsOf` finds them in a file; none of what may
 * only look wrong because another part is left out.
 */
export function partialFlaws(
  data: unknown,
  issues: readonly z.core.$ZodIssue[],
  flawsOf: (file: SiteFile) => readonly Flaw[],
): readonly Flaw[] {
  const rest = restOf(data, issues);
  if (rest === undefined) return [];
  const { file, places, words } = rest;
  const named = (text: string) =>
    text.replaceAll(/\b(\w+)\[(\d+)\]/g, (whole, list, at) => {
      const place = places.get(list)?.[Number(at)];
      return place === undefined ? whole : `${list}[${place}]`;
    });
  return flawsOf(file)
    .filter(({ path }) => words.size === 0 || !path.startsWith("rules["))
    .filter(({ path }) => ![...textsIn(entryAt(file, path))].some((it) => words.has(it)))
    .map(({ path, message }) => ({ path: named(path), message: named(message) }));
}

/** The file without the keys that it can't have, and without the entries that are wrong. */
function restOf(data: unknown, issues: readonly z.core.$ZodIssue[]): Rest | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const copy = structuredClone(data) as Record<string, unknown>;
  const wrong = new Map<string, Set<number>>();
  for (const issue of issues) {
    if (issue.code === "unrecognized_keys") {
      const table = at(copy, issue.path) as Record<string, unknown>;
      for (const key of issue.keys) delete table[key];
      continue;
    }
    const [list, place] = issue.path;
    if (typeof list !== "string" || typeof place !== "number") return undefined;
    wrong.set(list, (wrong.get(list) ?? new Set()).add(place));
  }
  const places = new Map<string, number[]>();
  const words = new Set<string>();
  for (const [list, left_out] of wrong) {
    const entries = copy[list] as readonly unknown[];
    const kept = entries.map((_, i) => i).filter((i) => !left_out.has(i));
    places.set(list, kept);
    for (const i of left_out) for (const it of namesIn(entries[i])) words.add(it);
    copy[list] = kept.map((i) => entries[i]);
  }
  const parsed = site_schema.safeParse(copy);
  return parsed.success ? { file: parsed.data, places, words } : undefined;
}

function at(data: unknown, place: Place): unknown {
  return place.reduce<unknown>((it, part) => (it as Record<PropertyKey, unknown>)[part], data);
}

/** The entry of a list that a path such as `devices[3].parent` lies in. */
function entryAt(file: SiteFile, path: string): unknown {
  const [, list, place] = /^(\w+)\[(\d+)\]/.exec(path) ?? [];
  return list === undefined ? undefined : at(file, [list, Number(place)]);
}

/** What others may call an entry by. */
function namesIn(entry: unknown): Iterable<string> {
  const { key, name, tag, event_tag } = Object(entry) as Record<string, unknown>;
  return textsIn([key, name, tag, event_tag]);
}

/** Every text in plain data. */
function* textsIn(data: unknown): Generator<string> {
  if (typeof data === "string") yield data;
  else if (typeof data === "object" && data !== null) {
    for (const part of Object.values(data)) yield* textsIn(part);
  }
}
