// Takes decoded bodies into the database: concurrent ones share commits, acknowledged after.
import type { Effects } from "../../base/effects.ts";
import { Fault } from "../../base/fault.ts";
import { sample_limits } from "../../model/samples/limits.ts";
import { apart, type Failed } from "../../base/together.ts";
import type { Project } from "../../model/plant/plant.ts";
import type { Rejection, StoredAnswer } from "../../model/samples/sample.ts";
import type { TimeSpan } from "../../model/time/daylight.ts";
import type { Database, Write } from "../../store/database.ts";
import { recallDays, StillFar } from "../../store/retention/tier.ts";
import { newestSample } from "../../store/samples/sample.ts";
import type { Decoded } from "../../wire/decode.ts";
import { TagCache } from "../../wire/samples/tag_index.ts";
import type { Alarms } from "../alarms/alarm.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { SettledTags } from "../catalog/settled_tags.ts";
import { Derived } from "../derived/derived.ts";
import { RatedTags } from "../expected/rated.ts";
import type { Stamp } from "../rollup/backlog.ts";
import { LatestValues } from "../samples/latest.ts";
import { StoredSpans } from "../samples/stored_spans.ts";
import { sampleJob, type SamplePart, type Slice } from "./job.ts";
import { IngestWrite, type Stored } from "./transaction.ts";
import { JobQueue, type JobTotals } from "../core/job_queue.ts";
import type { Rules } from "../rules/rule.ts";
import type { Suspend } from "../rules/suspend.ts";
import { SampleStage } from "../samples/staging.ts";
import type { Evaluator } from "../rules/evaluator.ts";

/** What ingest works on. */
type IngestParts = {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly rules: Rules;
  readonly alarms: Alarms;
  readonly evaluator: Evaluator;
  readonly suspend: Suspend;
  readonly effects: Pick<Effects, "now_us">;
  /** Rows that a transaction takes, by default `sample_limits.rows_per_transaction`. */
  readonly room?: number;
  /** Takes back the days of late samples that lie in files, and keeps them here for a while. */
  readonly tiers?: { recall(days: ReadonlySet<number>): Promise<void> };
};

/** A write's stamp, the number of its samples, and the instants of the first and the last. */
export type StoredWrite = Required<Stamp> & Pick<TimeSpan, "to_us">;

/**
 * Takes bodies of samples and forecasts, many in a transaction or a large one in several; see
 * `JobQueue`.
 */
export class Ingest {
  /** Called after each commit that stored samples, with what the roll-up is told of it. */
  onStored: ((stored: StoredWrite) => void) | undefined;
  /** The newest value of every tag. */
  readonly latest: LatestValues;
  /** The names of tags that bodies brought before. */
  readonly tags = new TagCache();
  readonly #parts: IngestParts;
  readonly #spans: StoredSpans;
  readonly #stage: SampleStage;
  readonly #settled: SettledTags;
  readonly #rated: RatedTags;
  readonly #derived: Derived;
  readonly #queue: JobQueue<SamplePart, StoredAnswer, Rejection>;
  #head_us: number;

  private constructor(parts: IngestParts, spans: StoredSpans) {
    const { room = sample_limits.rows_per_transaction } = parts;
    this.#parts = parts;
    this.#spans = spans;
    this.#head_us = parts.database.committed_us;
    this.#stage = new SampleStage(room);
    this.latest = new LatestValues(parts);
    this.#settled = new SettledTags(parts.catalog);
    this.#rated = new RatedTags(parts.catalog);
    this.#derived = new Derived(parts);
    this.#queue = new JobQueue({
      room,
      store: (take) => this.#store(take),
    });
  }

  /** Reads what the database holds already. */
  static async open(parts: IngestParts): Promise<Ingest> {
    const newest = await parts.database.read(newestSample);
    return new Ingest(parts, new StoredSpans(newest ?? -Infinity));
  }

  /** What became of all rows since the start. */
  get totals(): JobTotals {
    return this.#queue.totals;
  }

  /** No row is stored with a later stamp than this. */
  get head_us(): number {
    return this.#head_us;
  }

  /** Rows that wait or are being stored. */
  get queued_rows(): number {
    return this.#queue.queued_rows;
  }

  /** Stores a body's rows; resolves when they are on disk. */
  async add(project: Project, decoded: Decoded): Promise<StoredAnswer> {
    let days = this.#lateDays(decoded);
    for (;;) {
      await this.#recall(days);
      try {
        return await this.#queue.add(sampleJob(project, decoded));
      } catch (error) {
        if (!(error instanceof StillFar)) throw error;
        days = error.days;
      }
    }
  }

  #lateDays({ batches }: Decoded): ReadonlySet<number> {
    const { far } = this.#parts.database;
    const samples = batches.filter(({ lane }) => lane !== "forecast");
    return new Set(samples.flatMap(({ ts }) => [...far.daysOf(ts)]));
  }

  /** Late samples find their days here: where a file hangs or is broken, this body alone waits. */
  async #recall(days: ReadonlySet<number>): Promise<void> {
    const { database, tiers } = this.#parts;
    if (days.size === 0) return;
    await (tiers ? tiers.recall(days) : recallDays(database, days));
  }

  /** One transaction. Where one body fails for a rule, the rule is suspended, the body stored. */
  async #store(take: () => readonly Slice[]): Promise<void> {
    let slices: readonly Slice[] = [];
    try {
      await this.#write(() => slices = take());
    } catch (error) {
      const failed = await this.#failedRules(slices, error);
      if (failed.length === 0) throw error;
      await this.#parts.suspend(failed);
      await this.#write(() => slices);
    }
  }

  async #write(take: () => readonly Slice[]): Promise<void> {
    const stored = await this.#parts.database.write((write) => this.#begin(write).run(take()));
    await this.#learn(stored);
  }

  #begin(write: Write): IngestWrite {
    return new IngestWrite(write, {
      ...this.#parts,
      spans: this.#spans,
      settled: this.#settled,
      stage: this.#stage,
      rated: this.#rated,
      derived: this.#derived,
    });
  }

  /** The rules that throw `error` for the slices of one body; none where it is the body's own. */
  async #failedRules(slices: readonly Slice[], error: unknown): Promise<readonly Failed<number>[]> {
    const { database, rules } = this.#parts;
    const jobs = new Set(slices.map(({ job }) => job));
    if (jobs.size !== 1 || error instanceof Fault) return [];
    const [{ project: { project_no } }] = jobs;
    const rehearse = (rule_nos: readonly number[]) => {
      const only = new Set(rule_nos);
      return database.rehearse((write) => this.#begin(write).run(slices, { only }));
    };
    const is_own = await rehearse([]).then(() => false, () => true);
    return is_own ? [] : await apart(rules.ofProject(project_no), rehearse, error);
  }

  /** Brings memory up to what was committed, at once but for the newest values. */
  async #learn(
    { tags, begun, received_at, ruled, judged, alarms, stage }: Stored,
  ): Promise<void> {
    this.#head_us = received_at;
    this.#parts.catalog.putTags(tags);
    if (ruled) this.#parts.rules.adopt(ruled);
    this.#parts.evaluator.commit(judged);
    this.#parts.alarms.committed(alarms);
    for (const tag_no of begun) this.#spans.begin(tag_no);
    this.#spans.take(stage);
    this.#derived.commit(stage);
    const { rows } = stage;
    if (rows > 0) this.onStored?.({ received_at, rows, ...stage.span });
    await this.latest.take(stage, received_at);
  }
}
