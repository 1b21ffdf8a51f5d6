// The curves' data as they are loaded, cut at the moment, and ready to be drawn.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { at_ms, now_ms } from "../frame/clock.ts";
import { type Load, useLoad } from "../frame/load.ts";
import { project, zone } from "../frame/session.ts";
import { readSeries, type Series } from "./read.ts";
import { type Reading, stepOf } from "./request.ts";
import { flags, gapOf, knownBy, type Samples, shifted } from "./samples.ts";
import type { Source } from "./source.ts";
import type { Span } from "../frame/span.ts";
import { around, daysBefore, type Step, steps } from "./span.ts";

/** A curve of a source, or the same of some days before. */
export type Trace = {
  readonly source: Source;
  readonly days: number;
  readonly samples: Samples;
  /** How far apart two values may stand that belong together. */
  readonly gap_ms: number;
  /** How long each value counts; 0 for samples. */
  readonly step_ms: number;
  /** Which flags there are among its values. */
  readonly has: Readonly<Record<"carried" | "uncertain" | "bad", boolean>>;
};

type Wanted = {
  readonly sources: readonly Source[];
  readonly span: Span;
  readonly step: Step;
  readonly days: readonly number[];
};

/** What came, and what it was asked for as. */
type Came = { readonly series: Series; readonly step: Step; readonly shifts: readonly number[] };

const refresh_ms = 30_000;

/** The curves of a view; those that are there are kept while others, or finer ones, come. */
export function useTraces(wanted: Wanted): Load<readonly Trace[]> {
  const { sources, span, step, days } = wanted;
  const came = useSignal<Came | undefined>(undefined);
  const readings = [0, ...days].map((it) => readingOf(span, step, it));
  const words = sources.map(({ word }) => word);
  const key = sources.length === 0 ? undefined : [words, days, readings] as const;
  const isReplay = at_ms.value !== undefined;
  const load = useLoad(key, async (_, signal) => {
    const shifts = readings.map(({ shift_ms }) => shift_ms);
    const parts: Series[] = [];
    for (const [i, reading] of readings.entries()) {
      const onPart = (part: Series) => {
        parts[i] = part;
        came.value = { series: merged(parts, days), step, shifts };
      };
      onPart(await readSeries(sources, reading, { signal, onPart }));
    }
    return true;
  }, { refresh_ms: isReplay ? undefined : refresh_ms });
  const data = useMemo(
    () => came.value && tracesOf(came.value, wanted, at_ms.value),
    [came.value, at_ms.value, words.join(), days.join()],
  );
  const isThere = data !== undefined && (load.data === true || data.length > 0);
  return {
    ...load,
    data: isThere ? data : undefined,
    loaded_ms: load.loaded_ms || (isThere ? now_ms.peek() : 0),
  };
}

/** What is read for a span: whole blocks, somewhat more than is seen. */
function readingOf(span: Span, step: Step, days: number): Reading & { readonly shift_ms: number } {
  const { from_ms, to_ms, shift_ms } = daysBefore(span, { days, zone: zone.value });
  return {
    project_id: project.value!.id,
    zone: zone.value,
    step,
    ...around({ from_ms, to_ms }, step),
    shift_ms,
  };
}

function merged(parts: readonly Series[], days: readonly number[]): Series {
  return new Map(
    parts.flatMap((part, i) =>
      Array.from(part, ([word, samples]) => [nameOf(word, [0, ...days][i]), samples] as const)
    ),
  );
}

function tracesOf(
  { series, step, shifts }: Came,
  { sources, days }: Wanted,
  until_ms = Infinity,
): readonly Trace[] {
  return sources.flatMap((source) =>
    [0, ...days].flatMap((it, i) => {
      const found = series.get(nameOf(source.word, it));
      if (!found) return [];
      const step_ms = steps[step === "raw" ? stepOf(source, step) : step].ms;
      const samples = shifted(knownBy(found, { until_ms, step_ms }), shifts[i] ?? 0);
      const has = {
        carried: samples.flags.includes(flags.carried),
        uncertain: samples.flags.includes(flags.uncertain),
        bad: samples.flags.includes(flags.bad),
      };
      return [{ source, days: it, samples, gap_ms: gapOf(samples, step_ms), step_ms, has }];
    })
  );
}

const nameOf = (word: string, days: number) => `${word}|${days}`;
