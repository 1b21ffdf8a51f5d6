// What is wrong with the form of a site file or a request's body, in words, each with its place.
import type { z } from "zod";
import type { Flaw } from "../../base/fault.ts";
import { meant } from "../../base/did_you_mean.ts";
import { knownKeys } from "../site/file.ts";

/** What one finding of a schema says; `keysAt` gives the keys that a place may have. */
export function formFlaws(
  issue: z.core.$ZodIssue,
  keysAt: (path: readonly PropertyKey[]) => readonly string[] = knownKeys,
): Flaw[] {
  const path = pathText(issue.path);
  if (issue.code === "invalid_union") {
    // The alternative that was meant is the one that is wrong only inside.
    const inner = issue.errors.find((errors) => errors.every((error) => error.path.length > 0));
    if (inner) {
      return inner.flatMap((it) => formFlaws({ ...it, path: [...issue.path, ...it.path] }, keysAt));
    }
  }
  if (issue.code !== "unrecognized_keys") return [{ path, message: messageOf(issue) }];
  const known = keysAt(issue.path);
  return issue.keys.map((key) => ({
    path: path === "" ? key : `${path}.${key}`,
    message: known.includes(key)
      ? "is of another kind: it does not belong here"
      : "there is no such key" + meant(key, known),
  }));
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.input === undefined) return "is missing";
  switch (issue.code) {
    case "invalid_type":
      if (/^(int|number)$/.test(issue.expected) && typeof issue.input === "string") {
        return "give a number: a text or an expression can't stand here";
      }
      return `give ${
        issue.expected === "int" ? "a whole number" : `a value of type ${issue.expected}`
      }`;
    case "invalid_value": {
      const { values, input } = issue;
      const all = values.length <= 10
        ? `give one of ${values.join(", ")}`
        : "there is no such name";
      return all + meant(String(input), values.map(String));
    }
    case "too_small":
      return issue.inclusive
        ? `give at least ${issue.minimum}${countedIn(issue.origin)}`
        : `give more than ${issue.minimum}`;
    case "too_big":
      return issue.inclusive
        ? `give at most ${issue.maximum}${countedIn(issue.origin)}`
        : `give less than ${issue.maximum}`;
    case "invalid_key":
      return issue.issues[0].message;
    default:
      return issue.message;
  }
}

function countedIn(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" ? " items" : "";
}

function pathText(path: readonly PropertyKey[]): string {
  return path.map((part) => typeof part === "number" ? `[${part}]` : `.${String(part)}`)
    .join("").replace(/^\./, "");
}
