// One trial of every kind of rule on a device of its own, and what its alarms must be.
import assert from "node:assert/strict";
import { type AlarmEvent, hasEnded, type Occurrence } from "../../../src/model/alarms/alarm.ts";
import { fold } from "../../../src/model/alarms/fold.ts";
import { act, type QueueAction } from "../../../src/model/alarms/life.ts";
import { listOccurrences, readTimelines } from "../../../src/store/alarms/alarm.ts";
import { noon_us, type WatchedSite } from "./evaluator_help.ts";
import type { Activity, Happening } from "./evaluator_reference.ts";
import { type Kind, tested_rules } from "./random_rules.ts";

/** How long after a restart the clock says nothing, in seconds. */
const start_grace_s = 30;

/** Something that happens; times are in seconds after the one before, or before the newest. */
export type Step =
  | { readonly do: "send"; readonly gap_s: number; readonly gaps: readonly Gap[] }
  | { readonly do: "late"; readonly backs: readonly Gap[] }
  | { readonly do: "wait"; readonly gap_s: number }
  | { readonly do: "repeat" }
  | { readonly do: "restart" }
  | { readonly do: "act"; readonly which: number; readonly action: QueueAction["action"] };
type Gap = readonly [gap_s: number, value: number | null];

/** One run on tags of its own, and what happened to each. */
export class Trial {
  readonly #site: WatchedSite;
  readonly #device: string;
  readonly #log: Happening[] = [];
  #now_s: number;
  #head_s: number;
  #ticked_s = -Infinity;
  #opened_s: number;
  #last: Held[] = [];

  constructor(site: WatchedSite, device: string, opened_s: number) {
    this.#site = site;
    this.#device = device;
    this.#opened_s = opened_s;
    this.#now_s = this.#head_s = Math.round((site.clock.now_us - noon_us) / 1e6);
  }

  get opened_s(): number {
    return this.#opened_s;
  }

  async run(steps: readonly Step[]): Promise<void> {
    await this.#send([{ at_s: ++this.#head_s, value: 8 }]);
    for (const step of steps) await this.#do(step);
    await this.#check();
  }

  async #do(step: Step): Promise<void> {
    switch (step.do) {
      case "send": {
        // Sources send in time for the clock, which waits a little for them.
        let at_s = Math.max(this.#head_s, this.#ticked_s - 4);
        const samples = step.gaps.map(([gap_s, value]) => ({ at_s: at_s += gap_s, value }));
        this.#now_s = Math.max(this.#now_s, at_s) + step.gap_s;
        this.#head_s = at_s;
        this.#last = samples.filter(({ value }) => value !== null);
        return await this.#send(samples);
      }
      case "late":
        return await this.#send(
          step.backs.map(([back_s, value]) => ({ at_s: this.#head_s - back_s, value: value ?? 8 })),
        );
      case "repeat":
        return await this.#send(this.#last);
      case "wait":
        this.#ticked_s = this.#now_s += step.gap_s;
        await this.#site.at(this.#now_s);
        if (this.#now_s >= this.#opened_s + start_grace_s) {
          this.#log.push({ kind: "tick", now_s: this.#now_s });
        }
        return;
      case "restart":
        this.#opened_s = this.#now_s;
        return await this.#site.restart();
      case "act":
        return await this.#act(step);
    }
  }

  async #send(samples: readonly Held[]): Promise<void> {
    this.#site.clock.now_us = noon_us + this.#now_s * 1e6;
    if (samples.length === 0) return;
    const { float, word } = this.#tags;
    await this.#site.send(
      ...samples.map(({ at_s, value }) => [float, at_s, value] as const),
      ...samples.map(({ at_s, value }) =>
        [word, at_s, value === null ? null : BigInt(value & 7)] as const
      ),
    );
    this.#log.push({ kind: "samples", samples });
  }

  async #act({ which, action }: Extract<Step, { do: "act" }>): Promise<void> {
    const found = await this.#occurrences();
    if (found.length === 0) return;
    const { occurrence_no } = found[which % found.length];
    await this.#site.rule_engine.alarms.write(async (changes) => {
      await changes.load({ nos: [occurrence_no] });
      const at_us = changes.write.stamp_us;
      const more = { until_us: at_us + 1e9, reason: "r", note: "n", body: "b" };
      const acted = act(changes.get(occurrence_no)!, { action, ...more } as QueueAction, {
        ...{ user_id: "u", at_us },
      });
      if ("step" in acted) changes.change(acted.step.occurrence, acted.step.events);
    });
  }

  async #check(): Promise<void> {
    const found = await this.#occurrences();
    const events = await this.#site.database.read((it) => readTimelines(it, found));
    const by_no = Map.groupBy(events, ({ occurrence_no }) => occurrence_no);
    for (const occurrence of found) checkFold(occurrence, by_no.get(occurrence.occurrence_no)!);
    for (const [key, { tested: { tag, of } }] of Object.entries(tested_rules)) {
      const own = found.filter(({ rule_name, source_tag }) =>
        rule_name === key && source_tag === this.#tags[tag]
      );
      checkAlone(own);
      const log = tag === "float" ? this.#log : this.#log.map(wordsOf);
      checkActivities(key, of(log), {
        occurrences: own.filter(({ is_late }) => !is_late),
        events: by_no,
      });
    }
  }

  async #occurrences(): Promise<Occurrence[]> {
    const source_tags = Object.values(this.#tags);
    const found = await this.#site.database.read((it) => listOccurrences(it, { source_tags }));
    // A tag that never sent a value before is silent until its first.
    const first_us = secondsOf(this.#log[0]) * 1e6 + noon_us;
    return found.filter(({ raised_at }) => raised_at >= first_us)
      .sort((a, b) => a.raised_at - b.raised_at || a.occurrence_no - b.occurrence_no);
  }

  get #tags(): Record<Kind, string> {
    return { float: `${this.#device}/v`, word: `${this.#device}/w` };
  }
}

type Held = { readonly at_s: number; readonly value: number | null };

function secondsOf(first: Happening): number {
  return first.kind === "samples" ? first.samples[0].at_s : first.now_s;
}

function wordsOf(it: Happening): Happening {
  if (it.kind === "tick") return it;
  const word = (value: number | null) => value === null ? null : value & 7;
  return { ...it, samples: it.samples.map(({ at_s, value }) => ({ at_s, value: word(value) })) };
}

/** The events tell where an occurrence stands, each once. */
function checkFold(occurrence: Occurrence, events: readonly AlarmEvent[]): void {
  const { status, cleared_at, events_total } = occurrence;
  assert.deepEqual(fold(events), { status, cleared: cleared_at !== null });
  assert.equal(new Set(events.map(({ event_id }) => event_id)).size, events_total);
}

/** Of a rule on a tag, one occurrence at most is in force, and late ones lie between the others. */
function checkAlone(occurrences: readonly Occurrence[]): void {
  const standing = occurrences.filter((it) => !it.is_late && !hasEnded(it));
  const subjects = standing.map(({ decoded_labels }) => decoded_labels.join());
  assert.equal(new Set(subjects).size, subjects.length, "two in force");
  for (const late of occurrences.filter(({ is_late }) => is_late)) {
    assert.ok(late.cleared_at !== null);
    // One that was raised again had gone in between.
    const whole = occurrences.filter((it) => it.is_late || it.resolution_policy === "auto");
    const other = whole.find((it) =>
      it !== late && it.raised_at < late.cleared_at! && late.raised_at < (it.cleared_at ?? Infinity)
    );
    assert.ok(
      other === undefined || other.cleared_at === null,
      `a late one overlaps another: ${occurrences.map(spanText).join()}`,
    );
  }
}

function spanText({ rule_name, is_late, raised_at, cleared_at }: Occurrence): string {
  const [from, to] = [raised_at, cleared_at].map((us) => us === null ? "" : (us - noon_us) / 1e6);
  return ` ${rule_name}${is_late ? " late" : ""} ${from}-${to}`;
}

function checkActivities(
  key: string,
  expected: readonly Activity[],
  { occurrences, events }: {
    readonly occurrences: readonly Occurrence[];
    readonly events: ReadonlyMap<number, readonly AlarmEvent[]>;
  },
): void {
  const found = occurrences.flatMap((occurrence) => {
    const turns = events.get(occurrence.occurrence_no)!
      .filter(({ type, kind }) => kind === "lifecycle" && /^(re)?raised$|^cleared$/.test(type))
      .map(({ created_at }) => (created_at - noon_us) / 1e6);
    const subject = key === "code" ? Number(occurrence.decoded_labels[0]) : 0;
    const resolved = occurrence.resolution_policy === "manual" && occurrence.status === "resolved";
    return Array.from({ length: Math.ceil(turns.length / 2) }, (_, i) => ({
      ...{ subject, raised_s: turns[2 * i], cleared_s: turns[2 * i + 1] },
      resolved: resolved && turns[2 * i + 1] === undefined,
    }));
  }).sort((a, b) => a.raised_s - b.raised_s);
  // One that was resolved while it was active reports its end no more.
  const wanted = expected.map((it, i) => ({
    ...it,
    cleared_s: found[i]?.resolved ? undefined : it.cleared_s,
  }));
  assert.deepEqual(found.map(({ resolved: _, ...it }) => it), wanted, key);
}
