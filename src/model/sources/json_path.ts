// Where a value stands in JSON: `a.b[0].c`, and `a.*` for each member of `a`.
import { source_limits } from "./limits.ts";

/** Steps from the whole to a value: names of members and numbers of elements. */
export type JsonPath = {
  readonly steps: readonly (string | number)[];
  /** Whether each member of what stands there is meant. */
  readonly is_each: boolean;
};

const step_form = /\.([^.[\]*"$]+)|\[(\d{1,9})\]|\[("(?:[^"\\\p{Cc}]|\\["\\/])*")\]/uy;

/** Reads a path, or says what is wrong with it: the end of a sentence about the path. */
export function parsePath(text: string): JsonPath | string {
  if (text === "") return "is empty: write $ for the whole";
  const dotted = text.startsWith("$") ? text.slice(1) : text.startsWith("[") ? text : `.${text}`;
  const is_each = dotted.endsWith(".*");
  const written = is_each ? dotted.slice(0, -2) : dotted;
  const steps: (string | number)[] = [];
  for (let at = 0; at < written.length; at = step_form.lastIndex) {
    step_form.lastIndex = at;
    const [found, name, number, quoted] = step_form.exec(written) ?? [];
    if (found === undefined) {
      return `can't be read at ${JSON.stringify(written.slice(at, at + 20))}: write it as ` +
        'a.b[0].c, a.* for each member of a, a["b.c"] for a name with a dot, $ for the whole';
    }
    steps.push(name ?? (quoted === undefined ? Number(number) : JSON.parse(quoted)));
  }
  if (steps.length > source_limits.path_steps) {
    return `has more than ${source_limits.path_steps} steps`;
  }
  return { steps, is_each };
}

/** What stands at the steps of a path; undefined where nothing does. */
export function valueAt({ steps }: JsonPath, whole: unknown): unknown {
  let found = whole;
  for (const step of steps) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, step)) {
      return undefined;
    }
    found = (found as Readonly<Record<string | number, unknown>>)[step];
  }
  return found;
}
