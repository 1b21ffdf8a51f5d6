// One transaction of ingest: rows checked, staged, compared with what is stored, and stored.
import { giveWay, isLongAt } from "../../base/effects.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { int64At } from "../../model/data/chunk.ts";
import type { Tag } from "../../model/plant/plant.ts";
import type { Rejection, SampleBatch } from "../../model/samples/sample.ts";
import type { Database, Write } from "../../store/database.ts";
import { ForecastStage, storeForecasts } from "../../store/expected/forecast.ts";
import { requireNear } from "../../store/retention/tier.ts";
import { appendSamples, settleSuspects } from "../../store/samples/sample.ts";
import type { Alarms } from "../alarms/alarm.ts";
import type { StoredAlarms } from "../alarms/unit_of_work.ts";
import { type Catalog, type Entry, TagResolver } from "../catalog/catalog.ts";
import type { Entries, PlainTags, SettledTags } from "../catalog/settled_tags.ts";
import { type Derived, derivedBatch, no_owner } from "../derived/derived.ts";
import type { ExpectedCheck, RatedTags } from "../expected/rated.ts";
import type { Round } from "../rules/evaluation.ts";
import type { Evaluator } from "../rules/evaluator.ts";
import type { Prepared, Rules } from "../rules/rule.ts";
import type { StoredSpans } from "../samples/stored_spans.ts";
import { type SampleSource, type SampleStage, sourceOf } from "../samples/staging.ts";
import type { Slice } from "./job.ts";
import {
  ahead,
  closedReason,
  encodingOf,
  forecastFlaw,
  isAhead,
  latestOf,
  storeAs,
  too_large,
} from "./verdict.ts";

/** What memory is to learn once the transaction is committed. */
export type Stored = {
  readonly tags: readonly Tag[];
  /** Numbers of the tags that are new. */
  readonly begun: readonly number[];
  /** The stamp of what was stored. */
  readonly received_at: number;
  /** What rules watch now, if they watch tags that are new. */
  readonly ruled: Prepared | undefined;
  readonly judged: Round;
  readonly alarms: StoredAlarms;
  /** The rows that were stored. */
  readonly stage: SampleStage;
};

/** What a write works with; `catalog` and the rest of memory are left as they are. */
type Parts = {
  readonly database: Pick<Database, "far">;
  readonly catalog: Catalog;
  readonly spans: StoredSpans;
  readonly settled: SettledTags;
  readonly stage: SampleStage;
  readonly derived: Derived;
  readonly rated: RatedTags;
  readonly rules: Rules;
  readonly alarms: Alarms;
  readonly evaluator: Evaluator;
};

const too_many_tags = {
  reason: `the project has ${sample_limits.tags_per_project} tags already: no more are accepted`,
};
const derived_here = { reason: "the tag is derived: the service computes it itself" };
const no_value = { reason: "has no value, and its quality is not bad" };

/** What is known of a batch's tags, by its own numbers. */
type Known = {
  readonly entries: Readonly<Entries>;
  readonly plain: PlainTags;
  readonly checks: readonly (ExpectedCheck | undefined)[];
};

/** So many rows at most are taken before it is looked whether others wait. */
const run_rows = 1024;

type Owner = { readonly slice: Slice; readonly owner: number };

/** Checks, stores and judges slices within one write. */
export class IngestWrite {
  readonly #write: Write;
  readonly #parts: Parts;
  readonly #book: TagResolver;
  readonly #spans: StoredSpans;
  #samples: SampleStage;
  readonly #forecasts = new ForecastStage();

  constructor(write: Write, parts: Parts) {
    this.#write = write;
    this.#parts = parts;
    this.#book = new TagResolver(parts.catalog, write.connection);
    this.#spans = parts.spans;
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
      const known = { ...await this.#tagsOf(slice), checks: this.#checksOf(slice) };
      if (slice.batch.lane === "forecast") this.#stageForecasts({ slice, owner }, known);
      else await this.#stageSamples({ slice, owner }, known);
    }
    if (this.#parts.derived.any) await this.#stageDerived();
    await this.#storeSamples(slices);
    await this.#storeForecasts(slices);
    const { changed, begun } = await this.#book.store();
    return {
      tags: changed,
      begun,
      received_at: this.#write.stamp_us,
      stage: this.#samples,
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
    const { rules, alarms, evaluator } = this.#parts;
    const stage = this.#samples;
    const ruled = rules.prepareTags(tags.filter(({ tag_no }) => begun.has(tag_no)));
    const changes = alarms.begin(this.#write);
    const { watchpoints } = ruled ?? rules;
    const judging = only
      ? { watchpoints: watchpoints.filter(({ rule }) => only.has(rule.rule_no)) }
      : ruled;
    const judged = await evaluator.judge(changes, { stage, ruled: judging, begun });
    return { ruled, judged, alarms: await changes.store() };
  }

  /** By the batch's own tag numbers, what is known of the tags that the slice has rows of. */
  async #tagsOf(slice: Slice): Promise<Pick<Known, "entries" | "plain">> {
    const { settled } = this.#parts;
    const { job: { project }, batch } = slice;
    const lane = batch.lane === "model" ? "model" : "signal";
    const known = settled.of(batch.tags, { project, lane });
    const codes = unknownOf(slice, known.entries);
    if (codes.length === 0) return known;
    const found = await this.#book.find(project, lane, codes.map((code) => batch.tags[code]));
    const entries = [...known.entries];
    for (const [i, code] of codes.entries()) {
      const entry = entries[code] = found[i];
      if (entry) settled.note(known, code, entry);
    }
    return { entries, plain: known.plain };
  }

  /** By the same numbers, how values that are sent as expected of the tags are checked. */
  #checksOf({ job, batch, from, to }: Slice): readonly (ExpectedCheck | undefined)[] {
    if (batch.lane === "signal") return [];
    const checks = new Array<ExpectedCheck | undefined>(batch.tags.length).fill(undefined);
    for (const code of new Set(batch.tag.subarray(from, to))) {
      checks[code] = this.#parts.rated.checkOf(job.project.project_no, batch.tags[code]);
    }
    return checks;
  }

  /** Others have their turns between: nobody else has the writer, by which all of it changes. */
  async #stageSamples(owner: Owner, known: Known): Promise<void> {
    const { from, to } = owner.slice;
    for (let row = from; row < to;) {
      row = this.#stageSome(owner, known, row);
      if (row < to) await giveWay();
    }
  }

  /** Stages rows from one on until others are to have their turn; gives the row behind them. */
  #stageSome({ slice, owner }: Owner, known: Known, from: number): number {
    const { tally, batch, to } = slice;
    if (batch.lane === "forecast") return to;
    const source = sourceOf(batch);
    const bounds = { tags: known.plain, latest_us: latestOf(this.#write.now_us) };
    for (let row = from; row < to;) {
      if (row > from && isLongAt(row)) return row;
      const end = Math.min(to, row + run_rows - row % run_rows);
      if (known.plain.tag_no[batch.tag[row]] !== 0) {
        const next = this.#samples.putPlain(source, { from: row, to: end, owner }, bounds);
        tally.accepted += next - row;
        row = next;
      }
      if (row < end) this.#stageRow(source, row++, { slice, owner, known });
    }
    return to;
  }

  #stageRow(
    source: SampleSource,
    row: number,
    { slice: { tally }, owner, known: { entries, checks } }: Owner & { readonly known: Known },
  ): void {
    const { tag, tags, line } = source.batch;
    const entry = entries[tag[row]];
    const verdict = this.#verdictOf(source, row, { entry, check: checks[tag[row]] });
    if (typeof verdict === "object") {
      const { reason } = verdict;
      return tally.reject({ line: line[row], tag: tags[tag[row]], reason });
    }
    const { tag_no } = entry!.tag;
    if (this.#samples.put(source, { row, tag_no, store_as: verdict, owner })) tally.accepted++;
    else tally.duplicates++;
  }

  /** How a row is to be stored, or why it is not. */
  #verdictOf(
    source: SampleSource,
    row: number,
    { entry, check }: {
      readonly entry: Entry | undefined;
      readonly check: ExpectedCheck | undefined;
    },
  ) {
    if (entry === undefined) return too_many_tags;
    const { batch } = source;
    if (entry.tag.derived !== null) return derived_here;
    const ts_us = int64At(source.ts, row);
    if (isAhead(ts_us, this.#write.now_us)) return ahead;
    if (ts_us < entry.closed_us) return { reason: closedReason("its figures stay as they are") };
    const given = encodingOf(batch, row);
    if (given === "none" && batch.quality[row] !== 2) return no_value;
    const verdict = given === "none" ? given : storeAs(batch, row, { entry, given });
    if (typeof verdict === "object") return verdict;
    const reason = check?.(given === "integer" ? Number(batch.value_int[row]) : batch.value[row]);
    if (reason !== undefined) return { reason };
    entry.used = true;
    if (given !== "none") entry.encoding ??= given;
    return verdict;
  }

  /** Stages what follows from the staged rows for derived tags. */
  async #stageDerived(): Promise<void> {
    const { catalog, derived } = this.#parts;
    for await (const level of derived.rowsOf(this.#write, () => this.#samples)) {
      const closed = new Map<number, number>();
      for (const { derivation: { tag } } of level) {
        const project = catalog.projectByNo(tag.project_no)!;
        const [entry] = await this.#book.find(project, "signal", [tag.sensor_tag]);
        closed.set(tag.tag_no, entry!.closed_us);
      }
      const { source, rows } = derivedBatch(level, (tag_no) => closed.get(tag_no)!);
      this.#samples = this.#samples.withRoom(rows.length);
      rows.forEach((it, row) => this.#samples.put(source, { ...it, row, owner: no_owner }));
    }
  }

  #stageForecasts(
    { slice: { tally, batch, from, to }, owner }: Owner,
    { entries, checks }: Known,
  ): void {
    if (batch.lane !== "forecast") return;
    for (let row = from; row < to; row++) {
      const entry = entries[batch.tag[row]];
      const times = { ts_us: Number(batch.ts[row]), issued_us: Number(batch.issued_at[row]) };
      const is_closed = times.ts_us < (entry?.forecasts_closed_us ?? -Infinity);
      const flaw = forecastFlaw(times, this.#write.now_us) ??
        (is_closed ? closedReason("such forecasts were removed") : undefined) ??
        checks[batch.tag[row]]?.(batch.value[row]) ??
        (Math.abs(batch.value[row]) > (entry?.need.most ?? Infinity)
          ? too_large.reason
          : undefined);
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

  /** Rows where nothing of their tag can be stored are new; the others are compared with it. */
  async #storeSamples(slices: readonly Slice[]): Promise<void> {
    const stage = this.#samples;
    if (stage.rows === 0) return;
    const { connection, stamp_us } = this.#write;
    // One may have moved since they were taken back, and a copy is to tell all of its day: what is
    // new, too, is stored beside none.
    await requireNear(this.#write, this.#parts.database.far.daysOf(stage.instants));
    const suspects = this.#suspects();
    if (suspects.length > 0) {
      const range = { from_us: Infinity, to_us: -Infinity };
      for (const row of suspects) {
        range.from_us = Math.min(range.from_us, stage.tsAt(row));
        range.to_us = Math.max(range.to_us, stage.tsAt(row));
      }
      const { same, replacing } = await settleSuspects(connection, stage.pick(suspects), range);
      for (const row of same) slices[stage.ownerAt(row)]?.tally.recount();
      for (const row of replacing) slices[stage.ownerAt(row)]?.tally.correct();
      stage.drop(same);
    }
    await appendSamples(connection, stage.chunk(stamp_us));
  }

  /** The staged rows that something may be stored beside. */
  #suspects(): Int32Array<ArrayBuffer> {
    const stage = this.#samples;
    const suspects: number[] = [];
    for (let row = 0; row < stage.rows; row++) {
      const tag_no = stage.tagAt(row);
      if (this.#spans.isFree(tag_no, stage.tsAt(row)) || this.#book.isNew(tag_no)) continue;
      suspects.push(row);
    }
    return Int32Array.from(suspects);
  }

  async #storeForecasts(slices: readonly Slice[]): Promise<void> {
    if (this.#forecasts.rows === 0) return;
    const { same, replacing } = await storeForecasts(this.#write, this.#forecasts.chunk());
    for (const row of same) slices[this.#forecasts.ownerAt(row)].tally.recount();
    for (const row of replacing) slices[this.#forecasts.ownerAt(row)].tally.correct();
  }
}

/** The batch's own numbers of the tags of a slice that have no entry yet. */
function unknownOf({ batch, from, to }: Slice, entries: Readonly<Entries>): readonly number[] {
  const unknown = new Set<number>();
  for (let row = from; row < to; row++) {
    const code = batch.tag[row];
    if (entries[code] === undefined) unknown.add(code);
  }
  return [...unknown];
}

/**
 * The rows of a batch that will be rejected by their times, or by what tags hold: `entries` by the
 * batch's own tag numbers.
 */
export function foreseenFlaws(
  batch: SampleBatch,
  { entries, now_us }: {
    readonly entries: readonly Pick<Entry, "encoding" | "need">[];
    readonly now_us: number;
  },
): readonly Rejection[] {
  const flaws: Rejection[] = [];
  const source = sourceOf(batch);
  for (let row = 0; row < batch.rows; row++) {
    const given = encodingOf(batch, row);
    const verdict = isAhead(int64At(source.ts, row), now_us)
      ? ahead
      : given === "none"
      ? given
      : storeAs(batch, row, { entry: entries[batch.tag[row]], given });
    if (typeof verdict !== "object") continue;
    const { reason } = verdict;
    flaws.push({ line: batch.line[row], tag: batch.tags[batch.tag[row]], reason });
  }
  return flaws;
}
