// Silences in what came late: recorded by the samples' times, raised and cleared at once.
import { definitionOf } from "../../model/rules/kinds.ts";
import { durationUs } from "../../model/rules/kind.ts";
import { rule_limits } from "../../model/rules/limits.ts";
import type { Watchpoint } from "../../model/rules/rule.ts";
import { atRest, step, tick, type Transition } from "../../model/rules/state_machine.ts";
import type { Database } from "../../store/database.ts";
import type { TimeSpan } from "../../store/rollup/stale.ts";
import { type Gap, readGaps } from "../../store/rules/state.ts";
import type { Alarms } from "../alarms/alarm.ts";
import { day_us } from "../catalog/catalog.ts";
import { newExcursions, type Stretch } from "./evaluation.ts";
import type { Rules } from "./rule.ts";
import { type AlarmMaker, recordLate } from "./transitions.ts";

type SilenceParts = AlarmMaker & {
  readonly database: Database;
  readonly alarms: Alarms;
  readonly rules: Pick<Rules, "ofTag">;
};

/**
 * Looks in a span for silences of tags that rules watch, and records those that no alarm of their
 * rule and tag overlaps. Doing so again changes nothing.
 */
export async function reviewSilences(
  parts: SilenceParts,
  { tag_nos, from_us, to_us }: TimeSpan & { readonly tag_nos: Iterable<number> },
): Promise<void> {
  const points = new Map(
    Array.from(
      tag_nos,
      (tag_no) => [tag_no, parts.rules.ofTag(tag_no).filter(isOfSilence)] as const,
    )
      .filter(([, own]) => own.length > 0),
  );
  const days = Math.max(1, (to_us - from_us) / day_us);
  const at_once = Math.max(1, Math.floor(rule_limits.silence_points / days));
  const tags = [...points.keys()];
  for (let at = 0; at < tags.length; at += at_once) {
    const some = tags.slice(at, at + at_once);
    const ages = new Map(
      some.map((tag_no) => [tag_no, Math.min(...points.get(tag_no)!.map(ageUs))]),
    );
    // The value that a silence began with may be older than the span.
    const back_us = Math.max(...some.flatMap((tag_no) => points.get(tag_no)!.map(ageUs)));
    const range = { from_us: from_us - back_us, to_us };
    const gaps = await parts.database.aside((it) => readGaps(it, ages, range));
    const found = gaps.flatMap((gap) =>
      points.get(gap.tag_no)!.flatMap((it) => silenceOf(it, gap))
    );
    if (found.length === 0) continue;
    await parts.alarms.write(async (changes) => {
      for (const { raise, clear } of await newExcursions(changes, found)) {
        recordLate(changes, { raise, clear }, parts);
      }
    });
  }
}

type Silence = Stretch & { readonly clear: Transition };

/** What a rule would have told of two values that lie far apart. */
function silenceOf(watchpoint: Watchpoint, { before_us, after_us }: Gap): Silence[] {
  const told: Transition[] = [];
  const after = step(atRest(watchpoint), { ts_us: after_us, value: 0, before_us }, told);
  tick(after, Infinity, told);
  const [raise, clear] = told;
  return raise && clear ? [{ raise, clear, until_us: clear.at_us }] : [];
}

function isOfSilence({ rule: { condition } }: Watchpoint): boolean {
  return definitionOf(condition).needs.trigger.by === "silence";
}

function ageUs({ rule: { condition } }: Watchpoint): number {
  const { trigger } = definitionOf(condition).needs;
  return trigger.by === "silence" ? durationUs(trigger.maxAgeS(condition)) : Infinity;
}
