// Checks sources by themselves and against their site; every flaw with its place.
import { type Fault, type Flaw, refusal } from "../../base/fault.ts";
import { meantOrKnown } from "../../base/did_you_mean.ts";
import { formFlaws, keysIn } from "../data/form_flaw.ts";
import { limits } from "../../base/limits.ts";
import { source_form } from "./form.ts";
import { sourceDefinition, type SourceEntry } from "./kinds.ts";
import { source_limits } from "./limits.ts";
import { source_tag_names } from "./source.ts";

/** What sources are checked against. */
export type SourcePlace = {
  readonly devices: readonly string[];
  /** The sources of the site that stay as they are. */
  readonly others?: readonly SourceEntry[];
  /** The place of the source of a number, such as `sources[3]`; nothing where it is the whole. */
  readonly pathOf: (i: number) => string;
};

/** What is wrong with sources of the right form. */
export function sourceFlaws(
  sources: readonly SourceEntry[],
  { devices, others = [], pathOf }: SourcePlace,
): Flaw[] {
  const known = new Set(devices);
  const taken = new Map<string, string>();
  const take = (entry: SourceEntry, add: (path: string, message: string) => void) => {
    const own = source_tag_names.map((name) => ({ name: `${entry.key}.${name}`, path: "key" }));
    for (const { name, path } of [...own, ...sourceDefinition(entry).tagsOf(entry)]) {
      const other = taken.get(name);
      taken.set(name, entry.key);
      if (name.length > limits.tag_length) add(path, `its tag ${name} is too long`);
      if (other !== undefined) add(path, repeated(name, { own: entry.key, other }));
    }
  };
  for (const entry of others) take(entry, () => {});
  return sources.flatMap((entry, i) => {
    const flaws: Flaw[] = [];
    const at = pathOf(i);
    const add = (path: string, message: string) => {
      flaws.push({ path: at ? `${at}.${path}` : path, message });
    };
    const { flawsOf, devicesOf } = sourceDefinition(entry);
    for (const { path, message } of flawsOf(entry)) add(path, message);
    if (flaws.length > 0) return flaws;
    for (const { name, path } of devicesOf(entry)) {
      if (known.has(name)) continue;
      add(path, `there is no device ${JSON.stringify(name)}${meantOrKnown(name, devices)}`);
    }
    take(entry, add);
    const too_many = `with it the sources bring more than ${source_limits.tags} tags`;
    if (taken.size > source_limits.tags) add("key", too_many);
    return flaws;
  });
}

function repeated(
  tag: string,
  { own, other }: { readonly own: string; readonly other: string },
): string {
  const by = own === other ? "another point of the source" : `the source ${other}`;
  return `its tag ${JSON.stringify(tag)} is already brought by ${by}` +
    (own === other ? ": write {device} or {unit} into the tag" : "");
}

/**
 * The source of a key in plain data, which may leave the key out. Throws a `Fault` (invalid) with
 * every flaw of its form.
 */
export function parseSourceBody(data: unknown, key: string): SourceEntry {
  const table = typeof data === "object" && data !== null && !Array.isArray(data);
  const parsed = source_form.safeParse(table ? { key, ...data } : data, { reportInput: true });
  if (!parsed.success) {
    throw sourceRefusal(parsed.error.issues.flatMap((it) => formFlaws(it, keysIn(source_form))));
  }
  if (parsed.data.key === key) return parsed.data;
  throw sourceRefusal([{ path: "key", message: `is not the key in the path, ${key}` }]);
}

/** The refusal of a source for its flaws. */
export function sourceRefusal(flaws: readonly Flaw[]): Fault {
  const count = flaws.length === 1 ? "1 flaw" : `${flaws.length} flaws`;
  return refusal(`the source has ${count}`, flaws);
}
