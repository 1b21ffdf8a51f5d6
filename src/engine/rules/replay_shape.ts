// What a trial of rules answers, as JSON: by rule and tag, alarms that would have been.
import * as z from "zod";
import { rule_limits } from "../../model/rules/limits.ts";
import type { RuleEntry } from "../../model/rules/form.ts";
import { instantText } from "../../wire/bytes/instant.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Replay, ReplayRequest } from "./replay.ts";
import type { Replayed, Tally } from "./tally.ts";

const instant = z.string().describe("ISO 8601, UTC.");

const occurrence_schema = z.strictObject({
  raised_at: instant,
  cleared_at: instant.nullable().describe("Null: it is active at the end of the range."),
  source_ts: instant.nullable().describe("Start of the condition."),
  raised_value: z.number(),
  peak_value: z.number().nullable(),
  peak_at: instant.nullable(),
  recovered_value: z.number().nullable(),
  decoded_labels: z.array(z.string()),
  point_key: z.string().nullable(),
});

const counts = {
  raised: z.int().describe("Alarms raised within the range."),
  standing_s: z.number().describe("Total time with an active alarm in the range, in seconds."),
  chattering: z.int().describe("Number of alarms that are marked as chattering."),
};

/** The answer of a trial. */
export const replay_schema = z.strictObject({
  site: z.string().describe("The site's key."),
  from: instant,
  to: instant.describe("The requested end, or now."),
  samples: z.int().describe("Samples and minutes that were evaluated."),
  rules: z.array(z.strictObject({
    key: z.string(),
    name: z.string(),
    kind: z.string(),
    tags_watched: z.int(),
    tags_silent: z.int().describe("Watched tags without a sample in the range."),
    ...counts,
    tags: z.array(z.strictObject({
      source_tag: z.string(),
      device_key: z.string().nullable(),
      measure: z.string().nullable(),
      ...counts,
      standing: z.boolean().describe("Whether an alarm is active at the end of the range."),
      occurrences: z.array(occurrence_schema)
        .describe(`Those that overlap the range, the first ${rule_limits.test_shown} at most.`),
      occurrences_total: z.int(),
    })).describe("Tags with an alarm, the most alarms first."),
    tags_alarmed: z.int().describe("Number of tags with an alarm; not all of them may be listed."),
  })).describe("In the order of the request."),
});

/** The same as a type. */
export type ReplayAnswer = z.output<typeof replay_schema>;
type RuleAnswer = ReplayAnswer["rules"][number];
type TagAnswer = RuleAnswer["tags"][number];

/** A replay in words and texts; what is beyond the limits of a whole answer is only counted. */
export function replayAnswer(
  { site, rules, from_us, to_us }: ReplayRequest,
  { samples, tallies }: Replay,
  catalog: Catalog,
): ReplayAnswer {
  const room = { tags: rule_limits.test_tags, occurrences: rule_limits.test_occurrences };
  return {
    site: site.key,
    from: instantText(from_us),
    to: instantText(to_us),
    samples,
    rules: rules.map((rule, i) => ruleAnswer(rule, tallies[i], { catalog, room })),
  };
}

type Showing = {
  readonly catalog: Catalog;
  /** How many more are shown. */
  readonly room: { tags: number; occurrences: number };
};

function ruleAnswer(
  { key, name, kind }: RuleEntry,
  tallies: readonly Tally[],
  showing: Showing,
): RuleAnswer {
  const alarmed = tallies.filter(({ occurrences }) => occurrences > 0)
    .sort((a, b) => b.raised - a.raised || b.standing_us - a.standing_us);
  const shown = alarmed.slice(0, showing.room.tags);
  showing.room.tags -= shown.length;
  return {
    ...{ key, name, kind },
    tags_watched: tallies.length,
    tags_silent: tallies.filter(({ samples }) => samples === 0).length,
    raised: sum(tallies, ({ raised }) => raised),
    standing_s: sum(tallies, ({ standing_us }) => standing_us) / 1_000_000,
    chattering: sum(tallies, ({ chattering }) => chattering),
    tags: shown.map((tally) => tagAnswer(tally, showing)),
    tags_alarmed: alarmed.length,
  };
}

function tagAnswer(tally: Tally, { catalog, room }: Showing): TagAnswer {
  const { source_tag, device_id, measure } = tally.watchpoint;
  const shown = tally.first.slice(0, room.occurrences);
  room.occurrences -= shown.length;
  return {
    source_tag,
    device_key: catalog.device(device_id ?? "")?.key ?? null,
    measure,
    raised: tally.raised,
    standing_s: tally.standing_us / 1_000_000,
    chattering: tally.chattering,
    standing: tally.stands,
    occurrences: shown.map(occurrenceAnswer),
    occurrences_total: tally.occurrences,
  };
}

function occurrenceAnswer(it: Replayed): TagAnswer["occurrences"][number] {
  return {
    ...it,
    raised_at: instantText(it.raised_at),
    cleared_at: textOf(it.cleared_at),
    source_ts: textOf(it.source_ts),
    peak_at: textOf(it.peak_at),
    decoded_labels: [...it.decoded_labels],
  };
}

function textOf(us: number | null): string | null {
  return us === null ? null : instantText(us);
}

function sum(tallies: readonly Tally[], of: (tally: Tally) => number): number {
  return tallies.reduce((total, tally) => total + of(tally), 0);
}
