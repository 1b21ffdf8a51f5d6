// Computes derived tags within the write that brings what they are computed from.
import type { Effects } from "../../base/effects.ts";
import { noneValid } from "../../model/data/chunk.ts";
import { derive, type DerivedSample } from "../../model/derived/derived.ts";
import { derived_limits } from "../../model/derived/limits.ts";
import type { Database, Write } from "../../store/database.ts";
import { type InputSpan, readInputs } from "../../store/derived/input.ts";
import { requireNear } from "../../store/retention/tier.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { type SampleSource, type SampleStage, sourceOf, type StoreAs } from "../samples/staging.ts";
import { type Derivation, type Derivations, derivationsOf } from "./derivation.ts";
import { instantOf, instantsOf } from "./instant.ts";
import { type Known, lastAt, Track } from "./track.ts";

/** Samples of a derived tag. */
export type DerivedRows = {
  readonly derivation: Derivation;
  readonly samples: readonly DerivedSample[];
};

const empty = new Track();

/**
 * Keeps the newest samples of all inputs in memory. What a write brings is worked out over what is
 * stored and what it brings itself, so that no order of arrival changes what comes of it.
 */
export class Derived {
  readonly #catalog: Catalog;
  readonly #effects: Pick<Effects, "now_us">;
  readonly #database: Pick<Database, "far">;
  #version = -1;
  #derivations: Derivations = { levels: [], needed: new Set() };
  #stored = new Map<number, Track>();

  constructor({ database, catalog, effects }: {
    readonly database: Pick<Database, "far">;
    readonly catalog: Catalog;
    readonly effects: Pick<Effects, "now_us">;
  }) {
    this.#database = database;
    this.#catalog = catalog;
    this.#effects = effects;
  }

  /** Whether there is anything to compute. */
  get any(): boolean {
    this.#follow();
    return this.#derivations.levels.length > 0;
  }

  /** What becomes of the rows of a stage, level by level: each is told before the next is asked. */
  async *rowsOf(write: Write, stage: () => SampleStage): AsyncGenerator<readonly DerivedRows[]> {
    const fresh = new Map<number, Track>();
    let seen = 0;
    for (const level of this.#derivations.levels) {
      for (const rows = stage(); seen < rows.rows; seen++) this.#collect(fresh, rows, seen);
      const due = level.filter(({ inputs }) => inputs.some((it) => fresh.has(it)));
      if (due.length === 0) continue;
      const old = await this.#read(write, due, fresh);
      yield due.map((derivation) => ({
        derivation,
        samples: samplesOf(derivation, (tag_no) => ({
          stored: old.get(tag_no) ?? this.#stored.get(tag_no) ?? empty,
          fresh: fresh.get(tag_no) ?? empty,
        })),
      }));
    }
  }

  /** Takes the rows of a commit. */
  commit(stage: SampleStage): void {
    if (this.#stored.size === 0) return;
    for (let row = 0; row < stage.rows; row++) {
      this.#stored.get(stage.tagAt(row))?.put(sampleAt(stage, row));
    }
    for (const track of this.#stored.values()) track.trim(derived_limits.recent_samples);
  }

  #follow(): void {
    if (this.#version === this.#catalog.version) return;
    this.#version = this.#catalog.version;
    this.#derivations = derivationsOf(this.#catalog);
    for (const tag_no of this.#stored.keys()) {
      if (!this.#derivations.needed.has(tag_no)) this.#stored.delete(tag_no);
    }
  }

  #collect(fresh: Map<number, Track>, stage: SampleStage, row: number): void {
    const tag_no = stage.tagAt(row);
    if (!this.#derivations.needed.has(tag_no)) return;
    let track = fresh.get(tag_no);
    if (track === undefined) fresh.set(tag_no, track = new Track());
    track.put(sampleAt(stage, row));
  }

  /**
   * Reads what memory lacks: what is live is kept there, and what is older is given for this time.
   */
  async #read(
    write: Write,
    due: readonly Derivation[],
    fresh: ReadonlyMap<number, Track>,
  ): Promise<ReadonlyMap<number, Track>> {
    const live_us = this.#effects.now_us() - derived_limits.recent_ms * 1000;
    const live = new Asked();
    const late = new Asked();
    for (const derivation of due) {
      const spans = spansOf(derivation, fresh);
      const first_us = instantOf(derivation.timing, spans[0].at_us);
      if (this.#covers(derivation, first_us)) continue;
      if (first_us >= live_us) live.add(derivation, [{ ...spans[0], to_us: end_us }]);
      else late.add(derivation, spans);
    }
    const { from_us } = live;
    // Who reads them from files would hold the writer meanwhile.
    const { far } = this.#database;
    await requireNear(write, far.daysIn([...live.spans, ...late.spans]));
    for (const [tag_no, track] of await live.read(write)) this.#stored.set(tag_no, track(from_us));
    return new Map(
      [...await late.read(write)].map(([tag_no, track]) => [tag_no, track(-Infinity)]),
    );
  }

  #covers({ tag, inputs, timing, repeat_us }: Derivation, first_us: number): boolean {
    const covers = (tag_no: number, back_us: number) =>
      this.#stored.get(tag_no)?.covers(first_us, back_us) ?? false;
    return inputs.every((it) => covers(it, timing.max_age_us)) &&
      (!timing.on_change || covers(tag.tag_no, repeat_us));
  }
}

/** Later than all that can be stored. */
const end_us = 2 ** 53 - 1;

type Span = InputSpan & { readonly at_us: number };

/** Which samples the fresh ones of a derived tag's inputs have to do with, in order of time. */
function spansOf(
  { inputs, timing, repeat_us }: Derivation,
  fresh: ReadonlyMap<number, Track>,
): readonly Span[] {
  const { step_us, max_age_us, on_change } = timing;
  const back_us = step_us + Math.max(max_age_us, on_change ? repeat_us : 0);
  const ahead_us = step_us + max_age_us + 1;
  const instants = inputs.flatMap((it) => fresh.get(it)?.samples.map(({ ts_us }) => ts_us) ?? []);
  instants.sort((a, b) => a - b);
  // So many at most: what lies between near ones is read along.
  const gap_us = (instants.at(-1)! - instants[0]) / derived_limits.spans;
  const spans: Span[] = [];
  for (const at_us of instants) {
    const last = spans.at(-1);
    const [from_us, to_us] = [at_us - back_us, at_us + ahead_us];
    if (last && from_us - last.to_us <= gap_us) spans[spans.length - 1] = { ...last, to_us };
    else spans.push({ from_us, to_us, at_us });
  }
  return spans;
}

/** What is to be read at once. */
class Asked {
  readonly #tags = new Set<number>();
  #spans: InputSpan[] = [];

  get spans(): readonly InputSpan[] {
    return this.#spans;
  }

  /** The earliest instant that is read. */
  get from_us(): number {
    return this.#spans.reduce((least, { from_us }) => Math.min(least, from_us), Infinity);
  }

  add({ tag, inputs, timing }: Derivation, spans: readonly InputSpan[]): void {
    for (const tag_no of timing.on_change ? [tag.tag_no, ...inputs] : inputs) {
      this.#tags.add(tag_no);
    }
    this.#spans = joined([...this.#spans, ...spans]);
  }

  /** The samples of each tag that was asked for, for a track that has them from an instant on. */
  async read(
    { connection }: Pick<Write, "connection">,
  ): Promise<ReadonlyMap<number, (from_us: number) => Track>> {
    const tags = Int32Array.from(this.#tags);
    const rows = await readInputs(connection, { tags, spans: this.#spans });
    const by_tag = Map.groupBy(rows, ({ tag_no }) => tag_no);
    return new Map(Array.from(tags, (tag_no) => [tag_no, (from_us) => {
      const track = new Track(from_us);
      for (const { ts_us, value, value_int, quality, status_code } of by_tag.get(tag_no) ?? []) {
        track.put({ ts_us, value: value ?? wholeOf(value_int), quality, status_code });
      }
      return track;
    }]));
  }
}

/** Spans in order, those that touch as one. */
function joined(spans: readonly InputSpan[]): InputSpan[] {
  const out: InputSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.from_us - b.from_us)) {
    const last = out.at(-1);
    if (last === undefined || span.from_us > last.to_us) out.push(span);
    else out[out.length - 1] = { ...last, to_us: Math.max(last.to_us, span.to_us) };
  }
  return out;
}

/** A whole number, as a number where it is exact so. */
function wholeOf(text: string | null): bigint | number | null {
  if (text === null) return null;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

function sampleAt(stage: SampleStage, row: number): DerivedSample {
  const value = stage.valueAt(row);
  return {
    ts_us: stage.tsAt(row),
    value: typeof value === "string" ? null : value,
    quality: stage.qualityAt(row),
    status_code: stage.statusAt(row),
  };
}

/** The samples of a derived tag that the fresh ones of its inputs make or change. */
function samplesOf(
  { tag, formula, inputs, timing, repeat_us, most }: Derivation,
  knownOf: (tag_no: number) => Known,
): readonly DerivedSample[] {
  const known = inputs.map(knownOf);
  const own = timing.on_change ? { ...knownOf(tag.tag_no), fresh: new Track() } : undefined;
  const samples: DerivedSample[] = [];
  for (const ts_us of instantsOf(timing, known)) {
    const found = [];
    for (const input of known) {
      const last = lastAt(input, ts_us);
      if (last === undefined || ts_us - last.ts_us > timing.max_age_us) break;
      found.push(last);
    }
    if (found.length < known.length) continue;
    const sample = derive(formula, { inputs: found, ts_us, most });
    if (own !== undefined) {
      if (isRepeat(sample, own, repeat_us)) continue;
      own.fresh.put(sample);
    }
    samples.push(sample);
  }
  return samples;
}

/** Whether a sample says what the one before it says, which is still valid; never one in place. */
function isRepeat(sample: DerivedSample, own: Known, repeat_us: number): boolean {
  const last = lastAt(own, sample.ts_us);
  if (last === undefined || last.ts_us === sample.ts_us) return false;
  return sample.ts_us - last.ts_us < repeat_us && last.value === sample.value &&
    last.quality === sample.quality && last.status_code === sample.status_code;
}

/** No body has sent them: they are counted for nobody. */
export const no_owner = -1;

/** A source of rows, and for each row its tag and how it is stored. */
export type DerivedBatch = {
  readonly source: SampleSource;
  readonly rows: readonly { readonly tag_no: number; readonly store_as: StoreAs }[];
};

/** Makes a batch; samples from before `closedOf` of their tag are left out. */
export function derivedBatch(
  all: readonly DerivedRows[],
  closedOf: (tag_no: number) => number,
): DerivedBatch {
  const rows = all.flatMap(({ derivation: { tag }, samples }) => {
    const closed_us = closedOf(tag.tag_no);
    return samples.filter(({ ts_us }) => ts_us >= closed_us).map((sample) => ({ tag, sample }));
  });
  const status_valid = noneValid(rows.length);
  rows.forEach(({ sample }, row) => {
    if (sample.status_code !== null) status_valid[row >> 3] |= 1 << (row & 7);
  });
  const source = sourceOf({
    lane: "signal",
    rows: rows.length,
    tags: [],
    tag: new Int32Array(rows.length),
    ts: BigInt64Array.from(rows, ({ sample }) => BigInt(sample.ts_us)),
    value: Float64Array.from(rows, ({ sample }) => Number(sample.value ?? NaN)),
    value_int: new BigInt64Array(rows.length),
    int_valid: noneValid(rows.length),
    value_str: new Map(),
    quality: Uint8Array.from(rows, ({ sample }) => sample.quality ?? 255),
    status_code: Uint32Array.from(rows, ({ sample }) => sample.status_code ?? 0),
    status_valid,
    line: new Int32Array(rows.length),
  });
  return {
    source,
    rows: rows.map(({ tag, sample }) => ({
      tag_no: tag.tag_no,
      store_as: sample.value === null ? "none" : tag.encoding === "integer" ? "integer" : "float",
    })),
  };
}
