// Rules tried on the past: stored history through the machines that judge what comes in.
import { countText } from "../../base/count.ts";
import { giveWay } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { rule_limits } from "../../model/rules/limits.ts";
import type { Site } from "../../model/plant/plant.ts";
import { ruleFlaws } from "../../model/rules/check.ts";
import { ruleText } from "../../model/rules/entry.ts";
import type { RuleEntry } from "../../model/rules/form.ts";
import { ruleRefusal } from "../../model/rules/request.ts";
import { minute_us } from "../../model/time/series.ts";
import { yardstickOf } from "../../model/rules/condition.ts";
import type { Point } from "../../model/rules/kind.ts";
import { definitionOf } from "../../model/rules/kinds.ts";
import { Follower } from "../../model/rules/series.ts";
import { reachBack } from "../../model/rules/span.ts";
import type { Connection } from "../../store/connection.ts";
import type { Database } from "../../store/database.ts";
import { countSamples } from "../../store/rules/rule.ts";
import { newestSamples, readSpans, type TagSpan } from "../../store/rules/state.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { requireKept } from "../catalog/horizon.ts";
import { byYardstick, comparedMinutes, comparisonOf } from "./deviation.ts";
import { expandRules, rulePlace } from "./expand.ts";
import { type Range, Tally } from "./tally.ts";

/** Rules to try, on which site and when. */
export type ReplayRequest = Range & { readonly site: Site; readonly rules: readonly RuleEntry[] };

/** How a replay is watched and stopped. */
export type ReplayOptions = {
  readonly signal?: AbortSignal;
  /** Is told which share is done. */
  readonly onProgress?: (share: number) => void;
};

/** What would have been: a tally for each rule on each tag, by the rule's place in the request. */
export type Replay = {
  readonly samples: number;
  readonly tallies: readonly (readonly Tally[])[];
};

/**
 * Plays what is stored of the tags that rules would watch, whether they are enabled or not; the
 * last value before the range is where it starts. Throws a `Fault` (invalid) for rules that don't
 * fit the site, or too much to play.
 */
export async function replayRules(
  { database, catalog }: { readonly database: Database; readonly catalog: Catalog },
  request: ReplayRequest,
  { signal, onProgress = () => {} }: ReplayOptions = {},
): Promise<Replay> {
  const watches = watchesOf(catalog, request);
  const reads = watches.map((watch) => ({
    tag_no: watch.tally.watchpoint.tag_no,
    kept: isOfMinutes(watch) ? "minutes" as const : "samples" as const,
  }));
  requireKept(catalog, { from_us: request.from_us, reads });
  // Not one of the few readers, which answers wait for.
  const connection = database.session();
  const interrupt = () => connection.interrupt();
  signal?.addEventListener("abort", interrupt);
  try {
    signal?.throwIfAborted();
    const run: Run = { connection, ...request, catalog, signal, onProgress };
    const sampled = watches.filter((it) => !isOfMinutes(it));
    const samples = await playSamples(run, sampled) + await playMinutes(run, watches);
    for (const watch of watches) end(watch, request.to_us);
    const tallies = Map.groupBy(watches, ({ tally }) => tally.watchpoint.rule.rule_no);
    return {
      samples,
      tallies: request.rules.map((_, i) => (tallies.get(i) ?? []).map(({ tally }) => tally)),
    };
  } finally {
    signal?.removeEventListener("abort", interrupt);
    connection.close();
  }
}

type Watch = { readonly tally: Tally; follower: Follower };
type Run = ReplayRequest & Required<Pick<ReplayOptions, "onProgress">> & {
  readonly connection: Connection;
  readonly catalog: Catalog;
  readonly signal: AbortSignal | undefined;
};

function watchesOf(
  catalog: Catalog,
  { rules, site: { site_no }, ...range }: ReplayRequest,
): Watch[] {
  const flaws = ruleFlaws(rules, rulePlace(catalog, site_no)!, { pathOf: (i) => `rules[${i}]` });
  if (flaws.length > 0) throw ruleRefusal(flaws);
  const rows = rules.map((entry, rule_no) => ({
    ...{ rule_no, version: 1, site_no },
    definition: ruleText({ ...entry, enabled: true }),
  }));
  return expandRules(rows, catalog).watchpoints.map((watchpoint) => ({
    tally: new Tally(watchpoint, range),
    follower: new Follower(watchpoint),
  }));
}

/** Plays samples in order of time, tag by tag in slices of so many; how many there were. */
async function playSamples(run: Run, watches: readonly Watch[]): Promise<number> {
  const { connection, from_us, to_us } = run;
  const by_tag = Map.groupBy(watches, ({ tally }) => tally.watchpoint.tag_no);
  if (by_tag.size === 0) return 0;
  const tag_nos = [...by_tag.keys()];
  const samples = await countSamples(connection, tag_nos, run);
  if (samples > rule_limits.test_rows) {
    const most = countText(rule_limits.test_rows);
    throw new Fault(
      "invalid",
      `the tags have ${countText(samples)} samples in this time, more than ${most}: ` +
        "give a shorter time, or fewer rules",
    );
  }
  await playSpans(run, { by_tag, spans: await leadSpans(run, by_tag) });
  const slices = Math.max(1, Math.ceil(samples / rule_limits.test_slice_rows));
  const slice_us = Math.ceil((to_us - from_us) / slices);
  for (let at = from_us; at < to_us; at += slice_us) {
    const span = { from_us: at, to_us: Math.min(at + slice_us, to_us) };
    await playSpans(run, { by_tag, spans: tag_nos.map((tag_no) => ({ tag_no, ...span })) });
    run.onProgress((span.to_us - from_us) / (to_us - from_us));
  }
  return samples;
}

/** What each tag is played from before the range: its last value, and what a rate looks back at. */
async function leadSpans(
  { connection, from_us }: Run,
  by_tag: ReadonlyMap<number, Watch[]>,
): Promise<TagSpan[]> {
  const range = { from_us: from_us - rule_limits.watch_back_us, to_us: from_us };
  const newest = await newestSamples(connection, [...by_tag.keys()], range);
  const valued = new Map(newest.map(({ tag_no, valued_us }) => [tag_no, valued_us]));
  return [...by_tag].flatMap(([tag_no, watches]) => {
    const last_us = valued.get(tag_no) ?? null;
    // A tag that sent nothing is silent from where the range begins.
    if (last_us === null) watches.forEach((it) => it.follower = silentSince(it, from_us));
    if (last_us === null) return [];
    const back_us = watches.map(({ tally: { watchpoint: { rule: { condition } } } }) =>
      reachBack(definitionOf(condition).needs.spanUs(condition))
    );
    return [{ tag_no, from_us: Math.min(last_us, from_us - Math.max(...back_us)), to_us: from_us }];
  });
}

function silentSince({ tally }: Watch, begun_us: number): Follower {
  return new Follower(tally.watchpoint, { begun_us });
}

async function playSpans(
  { connection, signal, from_us }: Run,
  { by_tag, spans }: {
    readonly by_tag: ReadonlyMap<number, readonly Watch[]>;
    readonly spans: readonly TagSpan[];
  },
): Promise<void> {
  let row = 0;
  for await (const sample of readSpans(connection, spans)) {
    for (const watch of by_tag.get(sample.tag_no)!) see(watch, sample, from_us);
    if (++row % rule_limits.test_batch_rows !== 0) continue;
    await giveWay();
    signal?.throwIfAborted();
  }
}

/** Plays the minutes that deviation rules compare; how many there were. */
async function playMinutes(run: Run, watches: readonly Watch[]): Promise<number> {
  const { connection, catalog, signal, from_us, to_us } = run;
  const span = {
    from_minute: Math.floor(from_us / minute_us),
    to_minute: Math.ceil(to_us / minute_us),
  };
  let minutes = 0;
  const sides = byYardstick(watches, ({ tally }) => tally.watchpoint);
  for (const { by_sensor, ...yardstick } of sides) {
    const watched = new Set(by_sensor.keys());
    const comparison = comparisonOf(catalog.sensors, { ...yardstick, watched });
    for await (const piece of comparedMinutes(connection, comparison, span)) {
      for (let row = 0; row < piece.rows; row++) {
        const ts_us = piece.minute[row] * minute_us;
        const point = { ts_us, value: piece.value[row], expected: piece.expected[row] };
        for (const watch of by_sensor.get(piece.sensor_no[row]) ?? []) see(watch, point, from_us);
      }
      minutes += piece.rows;
      await giveWay();
      signal?.throwIfAborted();
    }
  }
  return minutes;
}

function see({ tally, follower }: Watch, point: Point, from_us: number): void {
  if (point.ts_us >= from_us) tally.samples++;
  for (const transition of follower.see(point)) tally.take(transition);
}

function end(watch: Watch, to_us: number): void {
  const { tally, follower } = watch;
  // Where minutes move a rule on, the clock never does.
  const told = isOfMinutes(watch) ? [] : follower.wait(to_us - 1);
  for (const transition of told) tally.take(transition);
  tally.end(follower.machine);
}

function isOfMinutes({ tally }: Watch): boolean {
  return yardstickOf(tally.watchpoint.rule.condition) !== undefined;
}
