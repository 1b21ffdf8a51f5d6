// The kind `enum`: a code of a list, or any code of a device model's alarm points.
import * as z from "zod";
import type { Flaw } from "../../../base/fault.ts";
import { rule_limits } from "../limits.ts";
import { labelMap, labelsField, ruleForm } from "../field.ts";
import type { KindDefinition } from "../kind.ts";

/** One of the codes, or any code but 0 with the names of its device model's point list. */
export type EnumCondition = {
  readonly kind: "enum";
  readonly codes: ReadonlySet<number> | "points";
  readonly labels: ReadonlyMap<number, string>;
};

const form = ruleForm("enum", {
  codes: z.array(z.int()).min(1).max(rule_limits.codes).transform(rising).optional()
    .describe("The codes that it watches."),
  points: z.literal(true).optional().describe(
    "Instead of codes: every code except 0; each is an alarm point of its device model's list.",
  ),
  labels: labelsField(/^(0|-?[1-9]\d{0,15})$/, "a whole number")
    .describe("Names of codes, by code.").default({}),
});

/** A code, each an alarm of its own. */
export const coded: KindDefinition<typeof form, EnumCondition> = {
  form,
  documentation: {
    holds: "A code of the list, each an occurrence of its own; with points, any code but 0: " +
      "decoded_labels has its name in the device model's list, point_key is Error-N. A fraction " +
      "or a number beyond 2^53 is no code.",
    params: "codes, or points: true",
    example: {
      key: "breaker-open",
      name: "Main breaker open",
      kind: "enum",
      codes: [0],
      labels: { 0: "Open" },
      tag: "XFMR.BREAKER_CLOSED",
      severity: "critical",
    },
  },
  flawsOf,
  conditionOf: ({ kind, codes, labels }) => (
    { kind, codes: codes ? new Set(codes) : "points", labels: labelMap(labels) }
  ),
  paramsOf: ({ codes }) => codes === "points" ? { points: true } : { codes: [...codes] },
  judge: {
    heldOf: (_condition, { value }) => Number(value),
    subjectOf({ codes }, held) {
      const code = Number(held);
      const shows = codes === "points" ? code !== 0 && Number.isSafeInteger(code) : codes.has(code);
      return shows ? code : undefined;
    },
    reachOf: () => NaN,
  },
  labels: {
    bitsOf: () => 0n,
    namesOf: ({ codes, labels }, { subject }, points) =>
      codes === "points"
        ? [points.get(subject)?.label ?? pointKey(subject)]
        : [labels.get(subject) ?? String(subject)],
    pointOf: ({ codes }, subject, points) =>
      codes === "points" ? { key: pointKey(subject), point: points.get(subject) } : undefined,
  },
  needs: {
    values: "code",
    trigger: { by: "samples" },
    hasPoints: ({ codes }) => codes === "points",
    spanUs: () => 0,
  },
};

function flawsOf({ codes, points, labels }: z.output<typeof form>): readonly Flaw[] {
  if (points && codes) return [{ path: "points", message: "can't be beside codes" }];
  if (!points && !codes) {
    return [{ path: "codes", message: "is missing: give codes, or points = true" }];
  }
  const known = new Set(codes);
  const message = points
    ? "can't be beside points: the device model's list has the labels"
    : "is none of the codes";
  return Object.keys(labels).filter((code) => !known.has(Number(code)))
    .map((code) => ({ path: `labels.${code}`, message }));
}

/** The source system's identifier of an alarm point. */
function pointKey(code: number): string {
  return `Error-${code}`;
}

function rising(codes: readonly number[]): number[] {
  return [...new Set(codes)].sort((a, b) => a - b);
}
