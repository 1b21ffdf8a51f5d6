// A declared reset of a counter: its form as it is sent and as it is kept.
import * as z from "zod";
import { type Fault, type Flaw, refusal } from "../../base/fault.ts";
import { parseForm } from "../data/parse_form.ts";
import type { PlainRow } from "../data/row.ts";
import { tag_form } from "../data/text_form.ts";

/** A declared reset of the register that a tag reads; values are the register's own. */
export const counter_reset_table = {
  id: "text",
  project_no: "int32",
  /** Whose site file declares it; null where it was sent. */
  site_no: "int32?",
  tag_no: "int32",
  at_us: "instant",
  /** The register's last value before that instant and its first value after it. */
  last_value: "float64",
  first_value: "float64",
  /** Name of the token that sent it. */
  author: "text?",
} as const;

/** A declared reset. */
export type CounterReset = PlainRow<typeof counter_reset_table>;

const instant = z.iso.datetime({
  offset: true,
  abort: true,
  error: "give an ISO 8601 instant with an offset, such as 2026-11-21T05:00:00Z",
}).refine((text) => Date.parse(text) >= 0 && Date.parse(text) < Date.UTC(2200, 0), {
  error: "give a time of the years 1970 to 2199",
}).refine((text) => !/\.\d{10}/.test(text), { error: "give at most nine digits of a second" });

/** The form of a reset, in a site file and as it is sent. */
export const reset_form = z.strictObject({
  tag: tag_form.describe("Name of the tag that reads the counter."),
  at: instant.describe("When the step happened: a text, ISO 8601 with an offset."),
  last_value: z.number().describe("The counter's last value before it, as the tag would send it."),
  first_value: z.number().describe("Its first value after it, likewise."),
}).meta({
  examples: [{
    tag: "mtr1.e_export_kwh",
    at: "2026-06-01T11:30:00+02:00",
    last_value: 812_344.5,
    first_value: 0,
  }],
});

/** A reset in plain data, of the right form. Throws a `Fault` (invalid) with every flaw. */
export function parseReset(data: unknown): z.output<typeof reset_form> {
  return parseForm(reset_form, data, { refuse: resetRefusal });
}

/** The usable readings on both sides of a reset, as they were sent; null where there is none. */
export type ReadingsAround = {
  readonly before_ts: number | null;
  readonly before_value: number | null;
  readonly ts: number | null;
  readonly value: number | null;
};

/** How a declared reset fits the readings on both sides of it. */
export const reset_fit_docs = {
  fits: "Its values fit to both readings.",
  no_reading: "There is no reading on one side of it yet.",
  last_value_low: "`last_value` is less than the reading before it.",
  first_value_high: "`first_value` is more than the reading after it.",
  impossible: "What it makes of the step is more than is physically possible.",
} as const;

export type ResetFit = keyof typeof reset_fit_docs;
export const reset_fits = Object.keys(reset_fit_docs) as [ResetFit, ...ResetFit[]];

/** How a reset fits; `is_possible`: as far as is known, the device can have counted the step. */
export function fitOf(
  { last_value, first_value }: Pick<CounterReset, "last_value" | "first_value">,
  { before_value, value, is_possible }: Pick<ReadingsAround, "before_value" | "value"> & {
    readonly is_possible: boolean;
  },
): ResetFit {
  if (before_value === null || value === null) return "no_reading";
  if (last_value < before_value) return "last_value_low";
  if (first_value > value) return "first_value_high";
  return is_possible ? "fits" : "impossible";
}

/** The refusal of a reset for its flaws. */
export function resetRefusal(flaws: readonly Flaw[]): Fault {
  return refusal("the reset is wrong", flaws);
}
