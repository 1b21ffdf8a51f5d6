// How long data are kept: what is kept for a time, the words for one, and which rule says it.
import * as z from "zod";
import { Fault } from "../../base/fault.ts";
import { oneOfOrNull, type PlainRow } from "../data/row.ts";
import { tag_form } from "../data/text_form.ts";
import { type Tag, tag_lanes } from "../plant/plant.ts";
import { retention_limits } from "./limits.ts";

/** What is kept for a time, each in a resolution; local days are kept for ever. */
export const kept_names = ["samples", "forecasts", "minutes", "quarters"] as const;
export type Kept = typeof kept_names[number];

/** What a person calls each of them. */
export const kept_words: Readonly<Record<Kept, string>> = {
  samples: "samples",
  forecasts: "forecasts",
  minutes: "minutes",
  quarters: "quarter-hours",
};

/** The setting, and the key in a site file, of each. */
export function keepKey<K extends Kept>(kept: K): `keep_${K}` {
  return `keep_${kept}`;
}

/** For how many days `text` keeps: `400d`, or Infinity for `forever`. Throws a `Fault`. */
export function keepDays(text: string): number {
  const days = daysIn(text);
  if (days === undefined) throw new Fault("invalid", keep_flaw);
  return days;
}

const { keep_days_least: least, keep_days_most: most } = retention_limits;
const keep_flaw = `give forever, or days from ${least}d to ${most}d`;

function daysIn(text: string): number | undefined {
  if (text === "forever") return Infinity;
  const days = /^\d{1,6}d$/.test(text) ? Number(text.slice(0, -1)) : NaN;
  return days >= least && days <= most ? days : undefined;
}

/** After how many days samples move into files: `90d`, or Infinity for `never`. */
export function tierDays(text: string): number {
  const days = text === "never" ? Infinity : daysIn(text);
  if (days === undefined || text === "forever") {
    throw new Fault("invalid", `give never, or days from ${least}d to ${most}d`);
  }
  return days;
}

/** Checks where old samples lie: throws a `Fault` (invalid) unless it is `files` or a lake. */
export function tierPlace(text: string): void {
  if (text === "files" || /^ducklake:./.test(text)) return;
  throw new Fault(
    "invalid",
    "give files, or ducklake:CATALOG, such as ducklake:postgres:dbname=lake host=db",
  );
}

/** Checks the address of an object store: throws a `Fault` (invalid) unless it is an origin. */
export function storeOrigin(text: string): void {
  if (text === "none" || /^https?:\/\/[^/?#@\s]+$/.test(text) && URL.canParse(text)) return;
  throw new Fault("invalid", "give none, or an address such as https://store.example:9000");
}

/** Checks the name of a schema: throws a `Fault` (invalid) for what is none. */
export function schemaName(text: string): void {
  if (/^[a-z][a-z0-9_]{0,62}$/.test(text)) return;
  throw new Fault("invalid", "give small letters, digits and _, a letter first, at most 63");
}

const keep_form = z.string().refine((text) => daysIn(text) !== undefined, { error: keep_flaw })
  .optional();

/** An entry of `retention` in a site file. */
export const retention_form = z.strictObject({
  tags: tag_form.describe("Names of tags of the project; * stands for any text."),
  lane: z.enum(tag_lanes).optional()
    .describe("Only measured values (signal) or expected ones (model); by default both."),
  keep_samples: keep_form.describe("How long samples are kept: days, such as 400d, or forever."),
  keep_forecasts: keep_form.describe("How long forecasts are kept, likewise."),
  keep_minutes: keep_form.describe("How long values by minute are kept, likewise."),
  keep_quarters: keep_form.describe("How long values by quarter-hour are kept, likewise."),
});

/** What a site file says of how long data of some tags are kept; null leaves it to the next. */
export const keep_rule_table = {
  id: "text",
  site_no: "int32",
  /** Its place in the file: of those that match a tag, the first one counts. */
  place: "int32",
  /** A name with `*` for any text. */
  tags: "text",
  /** Only tags of this lane. */
  lane: oneOfOrNull(tag_lanes),
  keep_samples: "text?",
  keep_forecasts: "text?",
  keep_minutes: "text?",
  keep_quarters: "text?",
} as const;

/** What a site file says of how long data of some tags are kept. */
export type KeepRule = PlainRow<typeof keep_rule_table>;

/** Before which day (UTC, since 1970) a tag's data are gone; 0 where nothing is. */
export const horizon_table = {
  tag_no: "int32",
  samples: "int32",
  forecasts: "int32",
  minutes: "int32",
  quarters: "int32",
} as const;

/** Before which day (UTC, since 1970) a tag's data are gone; 0 where nothing is. */
export type Horizon = PlainRow<typeof horizon_table>;

/** The texts that say how long data are kept, by their keys. */
export type KeepTexts = { readonly [K in Kept as `keep_${K}`]: string | null };

/**
 * How many days each kept thing of a tag stays: by the first of `rules` (those of its project, in
 * order) that matches its name and says anything of it, else by `settings`.
 */
export function keepOf(
  { lane, sensor_tag }: Pick<Tag, "lane" | "sensor_tag">,
  rules: readonly KeepMatcher[],
  settings: KeepTexts,
): Readonly<Record<Kept, number>> {
  const own = rules.filter((it) => (it.rule.lane ?? lane) === lane && it.pattern.test(sensor_tag));
  const days = (kept: Kept) => {
    const key = keepKey(kept);
    return keepDays(own.find(({ rule }) => rule[key] !== null)?.rule[key] ?? settings[key]!);
  };
  return {
    samples: days("samples"),
    forecasts: days("forecasts"),
    minutes: days("minutes"),
    quarters: days("quarters"),
  };
}

/** A rule that is ready to be matched with names. */
export type KeepMatcher = { readonly rule: KeepRule; readonly pattern: RegExp };

/** Makes a rule ready; `*` in it stands for any text. */
export function keepMatcher(rule: KeepRule): KeepMatcher {
  const parts = rule.tags.split("*").map((part) => RegExp.escape(part));
  return { rule, pattern: new RegExp(`^${parts.join(".*")}$`, "s") };
}
