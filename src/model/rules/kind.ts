// What tells one kind of alarm rule from another: its form, its documentation, how it judges.
import type * as z from "zod";
import type { Flaw } from "../../base/fault.ts";
import type { AlarmPoint } from "../plant/plant.ts";

/** Kinds of rules, in the order of the reference. */
export const rule_kinds = [
  "threshold",
  "outside",
  "stale",
  "bitmask",
  "enum",
  "rate_of_change",
  "deviation",
] as const;
export type RuleKind = typeof rule_kinds[number];

/**
 * A kind of rule, whole. `Form` is how a rule is written, `Condition` what is judged of it. Each
 * has its file in `kinds/`; the rest of the program asks it, and never for its name.
 */
export type KindDefinition<Form extends z.ZodType, Condition> = {
  readonly form: Form;
  readonly documentation: KindDocumentation<z.input<Form>>;
  /** What is wrong with a rule of the right form, whatever the site. */
  flawsOf(entry: z.output<Form>): readonly Flaw[];
  conditionOf(entry: z.output<Form>): Condition;
  /** What an alarm's `params` hold: the limits, but for those that are as usual. */
  paramsOf(condition: Condition): Readonly<Record<string, unknown>>;
  readonly judge: Judge<Condition>;
  readonly labels: Labels<Condition>;
  readonly needs: Needs<Condition>;
};

/** What the documentation says about a kind; its fields are described in its form. */
export type KindDocumentation<Input> = {
  /** When its condition holds. */
  readonly holds: string;
  /** The keys of `params`. */
  readonly params: string;
  /** A rule as a site file has it. */
  readonly example: Input;
};

/** How a value is judged. Pure. */
export type Judge<Condition> = {
  /**
   * What is compared with the limits, and stands in alarms' values: the value in the rule's unit,
   * a change per minute, a percentage. Undefined where the point has none.
   */
  heldOf(condition: Condition, point: ValuedPoint, unit: Unit): number | bigint | undefined;
  /** The subject of the alarm: a code, else 0; undefined where the condition does not hold. */
  subjectOf(condition: Condition, held: number | bigint, standing: Standing): number | undefined;
  /** How far a value goes in the direction of its limit; NaN for codes and bits. */
  reachOf(condition: Condition, held: number): number;
};

/** What an alarm's `decoded_labels` and `point_key` are. */
export type Labels<Condition> = {
  /** What of several things a value shows, as bits; an alarm keeps all that showed. */
  bitsOf(condition: Condition, held: number | bigint): bigint;
  namesOf(condition: Condition, shown: Shown, points: AlarmPoints): readonly string[];
  /** The alarm point that fired, of kinds that judge by a device model's list. */
  pointOf(condition: Condition, subject: number, points: AlarmPoints): NamedPoint | undefined;
};

/** The labels of a kind that names nothing. */
export const unlabelled: Labels<unknown> = {
  bitsOf: () => 0n,
  namesOf: () => [],
  pointOf: () => undefined,
};

/** What a kind needs of the tags that it watches, and when it is judged. */
export type Needs<Condition> = {
  /** Numbers in the measure's unit; whole numbers as they were sent; or values of any encoding. */
  readonly values: "number" | "code" | "any";
  readonly trigger: Trigger<Condition>;
  /** Whether it judges by the alarm points of its device's model. */
  hasPoints(condition: Condition): boolean;
  /** How far apart the values are that it compares, in microseconds; 0: it looks at one value. */
  spanUs(condition: Condition): number;
};

/** What moves a rule on. */
export type Trigger<Condition> =
  /** Samples as they come in; late ones are reviewed. */
  | { readonly by: "samples" }
  /** Samples, and the clock where none comes for so many seconds. */
  | { readonly by: "silence"; maxAgeS(condition: Condition): number }
  /** Rolled-up minutes of a sensor, each beside what is expected of it. */
  | { readonly by: "minutes"; yardstickOf(condition: Condition): Yardstick };

/** What a minute's value is compared with: the model's value, or the peers' median. */
export const bases = ["model", "peers"] as const;
export type Basis = typeof bases[number];

/** What a minute is compared with, as means over so many minutes up to it. */
export type Yardstick = { readonly from: Basis; readonly span_minutes: number };

/** A value of a tag with what some kinds look at beside it. */
export type Point = {
  readonly ts_us: number;
  /** Null where a sample has none: then it neither shows nor ends anything. */
  readonly value: number | bigint | string | null;
  /** When the tag's newest value before was of, and when the rule began to watch it. */
  readonly before_us?: number;
  readonly begun_us?: number;
  /** Up to when it is known that nothing came between; by default up to the point. */
  readonly known_us?: number;
  /** The newest value that is at least the kind's span older, where there is one. */
  readonly earlier?: Earlier;
  /** What is expected, in the value's unit. */
  readonly expected?: number;
};

/** A point that has a number. */
export type ValuedPoint = Point & { readonly value: number | bigint };

/** A value that a rate of change is counted from. */
export type Earlier = { readonly ts_us: number; readonly value: number };

/** A watched value is raw * scale + offset. */
export type Unit = { readonly scale: number; readonly offset: number };

/** Whether a condition holds so far: a deadband is then to be left first. */
export type Standing = { readonly standing: boolean };

/** What an alarm is of: its subject, and the bits that showed since it began. */
export type Shown = { readonly subject: number; readonly bits: bigint };

/** A device model's alarm points by number: `Error-17` is 17. */
export type AlarmPoints = ReadonlyMap<number, AlarmPoint>;

/** An alarm point with the source system's identifier; it may have no name in the list. */
export type NamedPoint = { readonly key: string; readonly point: AlarmPoint | undefined };

/** A value in the rule's unit; an Int64 without a scale stays exact. */
export function scaled(value: number | bigint, { scale, offset }: Unit): number | bigint {
  return scale === 1 && offset === 0 ? value : Number(value) * scale + offset;
}

/** Where a limit lies: on one side, or on both. */
export type Direction = "rising" | "above" | "falling" | "below" | "both";

/** How far a value goes in a direction. */
export function directed(held: number, direction: Direction): number {
  switch (direction) {
    case "rising":
    case "above":
      return held;
    case "falling":
    case "below":
      return -held;
    case "both":
      return Math.abs(held);
  }
}

/** A duration of a rule, in seconds, as microseconds: whole, as instants are. */
export function durationUs(duration_s: number): number {
  return Math.round(duration_s * 1_000_000);
}
