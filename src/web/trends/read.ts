// Reads curves from the service, block by block, and keeps the blocks that are whole.
import { getRows, type Rows } from "../frame/api.ts";
import { expectedOf, lengthBefore } from "../frame/performance.ts";
import { now_ms } from "../frame/clock.ts";
import { most_rows, type Reading, type Request, requestsOf } from "./request.ts";
import { bucketed, flags, joined, no_samples, type Samples, within } from "./samples.ts";
import type { Source } from "./source.ts";
import { blocksOf, instantWord, steps } from "./span.ts";

/** Samples by the word of their curve. */
export type Series = ReadonlyMap<string, Samples>;

/** Blocks that were read whole, the one used last at the end. */
const kept = new Map<string, Samples>();

/** How many values are kept in all. */
const most_kept = 8_000_000;

/** After how many blocks what is there is told; joining it costs. */
const blocks_told = 6;

/** How long after its end a block may still get late rows. */
const late_ms = 120_000;

/**
 * The curves in a span; `onPart` gets what is there before all is. A block that was read is not
 * read again, unless it was not over then.
 */
export async function readSeries(
  sources: readonly Source[],
  reading: Reading,
  { signal, onPart }: { readonly signal: AbortSignal; readonly onPart: (part: Series) => void },
): Promise<Series> {
  const pieces = new Map(sources.map(({ word }) => [word, new Array<Samples>()]));
  const whole = () => new Map(Array.from(pieces, ([word, list]) => [word, joined(list)] as const));
  const blocks = blocksOf(reading, reading.step).filter(({ from_ms }) => from_ms < now_ms.peek());
  for (const [i, block] of blocks.entries()) {
    const part = { ...reading, ...block };
    const keyOf = ({ word }: Source) =>
      [reading.project_id, reading.step, block.from_ms, word].join();
    const missing = sources.filter((source) => !kept.has(keyOf(source)));
    const found = await readBlock(missing, part, signal);
    for (const source of sources) {
      const key = keyOf(source);
      const samples = found.get(source.word) ?? kept.get(key) ?? no_samples;
      pieces.get(source.word)!.push(samples);
      if (block.to_ms + late_ms < now_ms.peek()) keep(key, samples);
    }
    if (missing.length > 0 && i % blocks_told === 0) onPart(whole());
  }
  return whole();
}

function keep(key: string, samples: Samples): void {
  kept.delete(key);
  kept.set(key, samples);
  let count = 0;
  for (const { values } of kept.values()) count += values.length + 100;
  for (const [old, { values }] of kept) {
    if (count <= most_kept) return;
    kept.delete(old);
    count -= values.length + 100;
  }
}

async function readBlock(
  sources: readonly Source[],
  reading: Reading,
  signal: AbortSignal,
): Promise<Series> {
  const answers = await Promise.all(
    requestsOf(sources, reading).map((request) =>
      request.kind === "signals" ? readSignals(request, signal) : readPerformance(request, signal)
    ),
  );
  const wanted = steps[reading.step].ms;
  return new Map(
    answers.flatMap((answer) =>
      Array.from(answer, ([{ word, curve, is_state }, samples]) => {
        const cut = within(samples, reading);
        const isCoarser = curve.kind === "tag" && wanted > steps.minute.ms;
        return [word, isCoarser ? bucketed(cut, { step_ms: wanted, is_state }) : cut] as const;
      })
    ),
  );
}

type Answer = ReadonlyMap<Source, Samples>;

async function readPerformance({ path, query, sources }: Request, signal: AbortSignal) {
  const rows = await getRows(path, query, signal);
  const names = String(query.columns).split(",");
  const keys = rows.texts(names[1]);
  const columns = {
    instants: rows.numbers("ts_utc"),
    measured: rows.numbers("sensor_value"),
    expected: names.includes("coverage")
      ? expectedOf(rows.numbers("model_value"), rows.numbers("coverage"))
      : undefined,
    percent_good: names.includes("percent_good") ? rows.numbers("percent_good") : undefined,
  };
  const places = placesOf(keys);
  return new Map(sources.map((source) => {
    const own = source.curve.kind === "total"
      ? columns.instants.map((_, i) => i)
      : places.get(source.hierarchy_id!) ?? [];
    const values = source.is_expected ? columns.expected! : columns.measured;
    return [source, {
      instants: Float64Array.from(own, (i) => columns.instants[i]),
      values: Float64Array.from(own, (i) => values[i]),
      flags: Uint8Array.from(
        own,
        (i) => source.is_expected ? flags.good : flagOfShare(columns.percent_good?.[i], values[i]),
      ),
    }];
  }));
}

/** Of a bucket by how much of its time has good data. */
function flagOfShare(percent_good = 100, value: number): number {
  if (Number.isNaN(value) || percent_good >= most_good) return flags.good;
  return percent_good > 0 ? flags.uncertain : flags.carried;
}

/** A bucket with less good data than this, in percent, is uncertain. */
const most_good = 90;

async function readSignals(request: Request, signal: AbortSignal): Promise<Answer> {
  const { path, query, sources } = request;
  const parts = new Map(sources.map((source) => [source, new Array<Samples>()]));
  let from = query.from;
  for (;;) {
    const rows = await getRows(path, { ...query, from }, signal);
    const instants = rows.numbers("ts");
    // A full page may end amid an instant: the next one begins with it.
    const isLast = rows.length < most_rows;
    const last_ms = Math.floor(instants[rows.length - 1]);
    const length = isLast ? rows.length : lengthBefore(instants, last_ms);
    const split = splitSignals(rows, { ...request, instants, length });
    for (const [source, samples] of split) parts.get(source)!.push(samples);
    if (isLast || length === 0) {
      return new Map(Array.from(parts, ([source, list]) => [source, joined(list)]));
    }
    from = instantWord(last_ms);
  }
}

function splitSignals(
  rows: Rows,
  { sources, step, instants, length }: Request & {
    readonly instants: Float64Array;
    readonly length: number;
  },
): Answer {
  const isSent = sources[0].curve.kind === "tag";
  const [floats, whole] = [rows.numbers("value"), rows.numbers("value_int")];
  const qualities = rows.texts("quality");
  const carried = step === "raw" ? undefined : rows.numbers("carried");
  const places = placesOf(rows.texts(isSent ? "sensor_tag" : "hierarchy_id"), length);
  return new Map(sources.map((source) => {
    const own = places.get((isSent ? source.tag : source.hierarchy_id)!) ?? [];
    return [source, {
      instants: Float64Array.from(own, (i) => instants[i]),
      values: Float64Array.from(own, (i) => Number.isNaN(floats[i]) ? whole[i] : floats[i]),
      flags: Uint8Array.from(own, (i) => flagOf(qualities[i], { is_carried: carried?.[i] === 1 })),
    }];
  }));
}

function flagOf(
  quality: string | null,
  { is_carried }: { readonly is_carried: boolean },
): number {
  if (quality === "bad") return flags.bad;
  if (quality === "uncertain" || quality === "partial") return flags.uncertain;
  return is_carried ? flags.carried : flags.good;
}

/** The places of each key's rows. */
function placesOf(keys: readonly (string | null)[], length = keys.length) {
  const places = new Map<string | null, number[]>();
  for (let i = 0; i < length; i++) {
    const own = places.get(keys[i]);
    if (own) own.push(i);
    else places.set(keys[i], [i]);
  }
  return places;
}
