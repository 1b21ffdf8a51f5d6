// One transaction's worth of ingest: rows checked, staged, set against what is stored, and stored.
import { limits } from "../../base/limits.ts";
import type { Tag } from "../../model/plant/plant.ts";
import type { Write } from "../../store/database.ts";
import { storeForecasts } from "../../store/expected/forecast.ts";
import { appendSamples, settleSuspects } from "../../store/samples/sample.ts";
import type { Alarms } from "../alarms/alarm.ts";
import type { StoredAlarms } from "../alarms/unit_of_work.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { ForecastStage } from "../samples/forecast_stage.ts";
import type { Heads } from "../samples/newest_by_tag.ts";
import type { Slice } from "./job.ts";
import type { Prepared, Rules } from "../rules/rule.ts";
import { aheadReason, encodingOf, forecastFlaw, isAhead, storeAs } from "../samples/sample_rule.ts";
import { type SampleSource, type SampleStage, sourceOf, tsOf } from "../samples/staging.ts";
import { type Entry, TagBook } from "../catalog/tag_resolver.ts";
import type { Watch } from "../rules/evaluator.ts";
import type { Round } from "../rules/evaluation.ts";

/** What memory is to learn once the transaction is committed. */
export type Stored = {
  readonly tags: readonly Tag[];
  /** Numbers of the tags that were taken up. */
  readonly begun: readonly number[];
  readonly rows: number;
  /** Where rules watch now, if they watch tags that were taken up. */
  readonly ruled: Prepared | undefined;
  readonly judged: Round;
  readonly alarms: StoredAlarms;
};

/** What a write works with; `catalog` and the rest of memory are left as they are. */
type Parts = {
  readonly catalog: Catalog;
  readonly heads: Heads;
  readonly stage: SampleStage;
  readonly rules: Rules;
  readonly alarms: Alarms;
  readonly watch: Watch;
};

const too_many_tags = {
  reason: `the project has ${limits.tags_per_project} tags already: no more are accepted`,
};
const ahead = { reason: aheadReason("ts") };
const no_value = { reason: "has no value, and its quality is not bad" };

type Owner = { readonly slice: Slice; readonly owner: number };

/** Checks, stores and judges slices within one write. */
export class IngestWrite {
  readonly #write: Write;
  readonly #parts: Parts;
  readonly #book: TagBook;
  readonly #heads: Heads;
  readonly #samples: SampleStage;
  readonly #forecasts = new ForecastStage();

  constructor(write: Write, parts: Parts) {
    this.#write = write;
    this.#parts = parts;
    this.#book = new TagBook(parts.catalog, write.connection);
    this.#heads = parts.heads;
    this.#samples = parts.stage;
    parts.stage.clear();
  }

  /**
   * Stores every row of `slices` that can be, and counts each in its slice. Judges by all rules, or
   * only by those of the numbers in `only`.
   */
  async run(
    slices: readonly Slice[],
    { only }: { readonly only?: ReadonlySet<number> } = {},
  ): Promise<Stored> {
    for (const { tally } of slices) tally.reset();
    for (const [owner, slice] of slices.entries()) {
      const entries = await this.#entriesOf(slice);
      if (slice.batch.lane === "forecast") this.#stageForecasts({ slice, owner }, entries);
      else this.#stageSamples({ slice, owner }, entries);
    }
    await this.#storeSamples(slices);
    await this.#storeForecasts(slices);
    const { changed, begun } = await this.#book.store();
    const rows = this.#samples.rows + this.#forecasts.rows;
    return {
      tags: changed,
      begun,
      rows,
      ...await this.#judge(changed, { begun: new Set(begun), only }),
    };
  }

  /** Looks at what was stored by the rules, and stores what that makes of alarms. */
  async #judge(
    tags: readonly Tag[],
    { begun, only }: {
      readonly begun: ReadonlySet<number>;
      readonly only: ReadonlySet<number> | undefined;
    },
  ): Promise<Pick<Stored, "ruled" | "judged" | "alarms">> {
    const { rules, alarms, watch, stage } = this.#parts;
    const ruled = rules.prepareTags(tags.filter(({ tag_no }) => begun.has(tag_no)));
    const changes = alarms.begin(this.#write);
    const { watchpoints } = ruled ?? rules;
    const judging = only
      ? { watchpoints: watchpoints.filter(({ rule }) => only.has(rule.rule_no)) }
      : ruled;
    const judged = await watch.judge(changes, { stage, ruled: judging, begun });
    return { ruled, judged, alarms: await changes.store() };
  }

  /** By the batch's own tag numbers, the entries of the tags that the slice has rows of. */
  async #entriesOf({ job, batch, from, to }: Slice): Promise<readonly (Entry | undefined)[]> {
    const used = new Uint8Array(batch.tags.length);
    for (let row = from; row < to; row++) used[batch.tag[row]] = 1;
    const codes = Array.from(batch.tags.keys()).filter((code) => used[code] === 1);
    const lane = batch.lane === "model" ? "model" : "signal";
    const found = await this.#book.find(job.project, lane, codes.map((code) => batch.tags[code]));
    const entries = new Array<Entry | undefined>(batch.tags.length).fill(undefined);
    codes.forEach((code, i) => entries[code] = found[i]);
    return entries;
  }

  #stageSamples(
    { slice: { tally, batch, from, to }, owner }: Owner,
    entries: readonly (Entry | undefined)[],
  ): void {
    if (batch.lane === "forecast") return;
    const source = sourceOf(batch);
    for (let row = from; row < to; row++) {
      const entry = entries[batch.tag[row]];
      const verdict = this.#verdictOf(source, row, entry);
      if (typeof verdict === "object") {
        const { reason } = verdict;
        tally.reject({ line: batch.line[row], tag: batch.tags[batch.tag[row]], reason });
        continue;
      }
      const { tag_no } = entry!.tag;
      if (this.#samples.put(source, { row, tag_no, store_as: verdict, owner })) tally.accepted++;
      else tally.duplicates++;
    }
  }

  /** How a row is to be stored, or why it is not. */
  #verdictOf(source: SampleSource, row: number, entry: Entry | undefined) {
    if (entry === undefined) return too_many_tags;
    const { batch } = source;
    if (isAhead(tsOf(source, row), this.#write.now_us)) return ahead;
    const given = encodingOf(batch, row);
    if (given === "none" && batch.quality[row] !== 2) return no_value;
    const verdict = given === "none"
      ? given
      : storeAs(batch, row, { tag: entry.encoding ?? given, given });
    if (typeof verdict === "object") return verdict;
    entry.used = true;
    if (given !== "none") entry.encoding ??= given;
    return verdict;
  }

  #stageForecasts(
    { slice: { tally, batch, from, to }, owner }: Owner,
    entries: readonly (Entry | undefined)[],
  ): void {
    if (batch.lane !== "forecast") return;
    for (let row = from; row < to; row++) {
      const entry = entries[batch.tag[row]];
      const times = { ts_us: Number(batch.ts[row]), issued_us: Number(batch.issued_at[row]) };
      const flaw = forecastFlaw(times, this.#write.now_us);
      if (entry === undefined || flaw !== undefined) {
        const reason = flaw ?? too_many_tags.reason;
        tally.reject({ line: batch.line[row], tag: batch.tags[batch.tag[row]], reason });
        continue;
      }
      entry.used = true;
      const { tag_no } = entry.tag;
      if (this.#forecasts.put(batch, row, { tag_no, owner })) tally.accepted++;
      else tally.duplicates++;
    }
  }

  /** Rows beyond their tag's head are new; the others are held against what is stored. */
  async #storeSamples(slices: readonly Slice[]): Promise<void> {
    const stage = this.#samples;
    if (stage.rows === 0) return;
    const suspects: number[] = [];
    let from_us = Infinity;
    let to_us = -Infinity;
    for (let row = 0; row < stage.rows; row++) {
      const [tag_no, ts_us] = [stage.tagAt(row), stage.tsAt(row)];
      if (ts_us > this.#heads.of(tag_no) || this.#book.isNew(tag_no)) continue;
      suspects.push(row);
      from_us = Math.min(from_us, ts_us);
      to_us = Math.max(to_us, ts_us);
    }
    const { connection, stamp_us } = this.#write;
    if (suspects.length > 0) {
      const picked = stage.pick(Int32Array.from(suspects));
      const same = await settleSuspects(connection, picked, { from_us, to_us });
      for (const row of same) slices[stage.ownerAt(row)].tally.recount();
      stage.drop(same);
    }
    await appendSamples(connection, stage.chunk(stamp_us));
  }

  async #storeForecasts(slices: readonly Slice[]): Promise<void> {
    if (this.#forecasts.rows === 0) return;
    const same = await storeForecasts(this.#write, this.#forecasts.chunk());
    for (const row of same) slices[this.#forecasts.ownerAt(row)].tally.recount();
  }
}
