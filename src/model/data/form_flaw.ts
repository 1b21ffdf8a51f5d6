// What is wrong with the form of a site file or a request's body, in words, each with its place.
import * as z from "zod";
import type { Flaw } from "../../base/fault.ts";
import { meant, nearest } from "../../base/did_you_mean.ts";

/** The keys that a place may have; of what is of several kinds, of that which `input` has. */
type KeysAt = (path: readonly PropertyKey[], input?: unknown) => readonly string[];

/** What one finding of a schema says; `keysAt` gives the keys that a place may have. */
export function formFlaws(
  issue: z.core.$ZodIssue,
  keysAt: KeysAt,
): Flaw[] {
  const path = pathText(issue.path);
  if (issue.code === "invalid_union") {
    // The alternative that was meant is the one that is wrong only inside.
    const inner = issue.errors.find((errors) => errors.every((error) => error.path.length > 0));
    if (inner) {
      return inner.flatMap((it) => formFlaws({ ...it, path: [...issue.path, ...it.path] }, keysAt));
    }
  }
  if (issue.code === "invalid_type" && issue.expected === "object" && issue.input !== undefined) {
    return [{ path, message: `give an object${listOf(keysAt(issue.path))}` }];
  }
  if (issue.code !== "unrecognized_keys") return [{ path, message: messageOf(issue) }];
  const known = keysAt(issue.path);
  const own = keysAt(issue.path, issue.input);
  const messageFor = (key: string) => {
    if (known.includes(key)) return `is of another kind: it does not belong here${listOf(own)}`;
    if (nearest(key, own)) return `there is no such key${meant(key, own)}`;
    const above = issue.path.findLastIndex((_, i) => keysAt(issue.path.slice(0, i)).includes(key));
    if (above < 0) return `there is no such key${meant(key, own) || listOf(own)}`;
    return `does not belong in ${path}: write it beside ${
      pathText(issue.path.slice(0, above + 1))
    }`;
  };
  return issue.keys.map((key) => (
    { path: path === "" ? key : `${path}.${key}`, message: messageFor(key) }
  ));
}

/** Gives the keys that the table at a place of `form` may have; none where there is no table. */
export function keysIn(form: z.ZodType): KeysAt {
  return (path, input) => {
    const forms = path.reduce(
      (forms, part) => forms.flatMap((form) => formsAt(form, part)),
      bareForms(form),
    );
    const keys = forms.flatMap((form) =>
      form instanceof z.ZodObject && isOfKind(form, input) ? Object.keys(form.shape) : []
    );
    return [...new Set(keys)];
  };
}

/** Whether what is fixed in a form, such as a kind, is so in a table. */
function isOfKind({ shape }: z.ZodObject, input: unknown): boolean {
  const table = Object(input) as Readonly<Record<string, unknown>>;
  return Object.entries(shape).every(([key, field]) =>
    !(field instanceof z.ZodLiteral) || table[key] === undefined ||
    field.values.has(table[key] as z.core.util.Literal)
  );
}

function listOf(known: readonly string[]): string {
  if (known.length === 0) return "";
  const more = known.length > most_listed ? ", …" : "";
  return `; known are ${known.slice(0, most_listed).join(", ")}${more}`;
}

/** A longer list would bury the rest of a message. */
const most_listed = 16;

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.input === undefined) return "is missing";
  switch (issue.code) {
    case "invalid_type":
      if (/^(int|number)$/.test(issue.expected) && typeof issue.input === "string") {
        return `give a number: a text or an expression can't stand here${bareNumber(issue.input)}`;
      }
      if (issue.expected === "array" && typeof issue.input === "object") {
        const { path } = issue;
        return "give a list, not one entry" +
          (path.length === 1 ? `; in TOML each entry begins with [[${String(path[0])}]]` : "");
      }
      return `give ${kind_words[issue.expected] ?? `a value of type ${issue.expected}`}`;
    case "invalid_value": {
      const { values, input } = issue;
      const near = meant(String(input), values.map(String));
      if (values.length <= 10) {
        return `give ${values.length > 1 ? "one of " : ""}${values.join(", ")}${
          notThat(input)
        }${near}`;
      }
      const known = values.slice(0, most_named).join(", ");
      const more = values.length > most_named ? ", …" : "";
      return `there is no such name${namedAs(input)}${near || `; known are ${known}${more}`}`;
    }
    case "too_small":
      return issue.inclusive
        ? `give at least ${issue.minimum}${countedIn(issue.origin, issue.minimum)}${
          notNumber(issue.input)
        }`
        : `give more than ${issue.minimum}${notNumber(issue.input)}`;
    case "too_big":
      return issue.inclusive
        ? `give at most ${issue.maximum}${countedIn(issue.origin, issue.maximum)}${
          notNumber(issue.input)
        }`
        : `give less than ${issue.maximum}${notNumber(issue.input)}`;
    case "invalid_key":
      return issue.issues[0].message;
    default:
      return issue.message;
  }
}

const kind_words: Readonly<Record<string, string>> = {
  int: "a whole number",
  number: "a number",
  string: "a text, in quotation marks",
  boolean: "true or false",
  array: "a list",
  record: "a table of names with values",
};

/** The number that stands in a text. */
function bareNumber(text: string): string {
  if (!/^-?\d{1,15}([.,]\d{1,15})?$/.test(text)) return "";
  return `; write ${text.replace(",", ".")} without quotation marks`;
}

/** What was given in place of a word of a list; other texts may be secret. */
function notThat(input: unknown): string {
  return typeof input === "object" ? "" : `, not ${JSON.stringify(input).slice(0, most_shown)}`;
}

function namedAs(input: unknown): string {
  return typeof input === "object" ? "" : ` as ${JSON.stringify(input).slice(0, most_shown)}`;
}

/** Names that are listed where none is near. */
const most_named = 64;

const most_shown = 100;

function notNumber(input: unknown): string {
  return typeof input === "number" ? `, not ${input}` : "";
}

function countedIn(origin: string, count: number | bigint): string {
  const word = { string: " character", array: " item" }[origin];
  return word === undefined ? "" : `${word}${count === 1 ? "" : "s"}`;
}

function pathText(path: readonly PropertyKey[]): string {
  return path.map((part) => typeof part === "number" ? `[${part}]` : `.${String(part)}`)
    .join("").replace(/^\./, "");
}

/** The forms that a part of a value can have. */
function formsAt(form: z.ZodType, part: PropertyKey): readonly z.ZodType[] {
  const found = form instanceof z.ZodArray
    ? form.element
    : (form as z.ZodObject).shape?.[String(part)];
  return found === undefined ? [] : bareForms(found as z.ZodType);
}

/** A form without what says that it may be left out; each of a union's. */
function bareForms(form: z.ZodType): readonly z.ZodType[] {
  if (form instanceof z.ZodOptional || form instanceof z.ZodDefault) {
    return bareForms(form.unwrap() as z.ZodType);
  }
  if (form instanceof z.ZodUnion) return (form.options as z.ZodType[]).flatMap(bareForms);
  return [form];
}

/** What of plain data is right in form. */
type RightRest<T> = {
  readonly rest: T;
  /** By list, the places that its entries have in the whole. */
  readonly places: ReadonlyMap<string, readonly number[]>;
  /** The entries that are wrong. */
  readonly wrong: readonly unknown[];
};

/**
 * Plain data without the keys that it can't have, and without those entries of its lists in which
 * `issues` lie; undefined where more is wrong than these.
 */
export function rightRest<T extends z.ZodObject>(
  form: T,
  { data, issues }: { readonly data: unknown; readonly issues: readonly z.core.$ZodIssue[] },
): RightRest<z.output<T>> | undefined {
  const copy = structuredClone(Object(data)) as Record<string, unknown>;
  const faulty = new Map<string, Set<number>>();
  for (const { path, ...issue } of issues) {
    if (issue.code === "unrecognized_keys") {
      const table = path.reduce<Record<PropertyKey, unknown>>(
        (at, part) => at[part] as Record<PropertyKey, unknown>,
        copy,
      );
      for (const key of issue.keys) delete table[key];
      continue;
    }
    const [list, place] = path;
    if (typeof list !== "string" || typeof place !== "number") return undefined;
    faulty.set(list, (faulty.get(list) ?? new Set()).add(place));
  }
  const places = new Map<string, readonly number[]>();
  const wrong: unknown[] = [];
  for (const [list, left_out] of faulty) {
    const entries = copy[list] as readonly unknown[];
    const kept = [...entries.keys()].filter((at) => !left_out.has(at));
    places.set(list, kept);
    wrong.push(...[...left_out].map((at) => entries[at]));
    copy[list] = kept.map((at) => entries[at]);
  }
  const parsed = form.safeParse(copy);
  return parsed.success ? { rest: parsed.data, places, wrong } : undefined;
}
