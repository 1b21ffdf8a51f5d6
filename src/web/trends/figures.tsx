// The statistics of the span that is shown, curve by curve.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { last_ms, settled, show, sources } from "./view.ts";
import { useLoad } from "../frame/load.ts";
import { numberText, percentText } from "../frame/number.ts";
import { project, zone } from "../frame/session.ts";
import { instantText, timeText } from "../frame/zone.ts";
import { Age, problemText } from "../parts/panel.tsx";
import { nameOf, valueText } from "./plot.tsx";
import { reckon, type Reckoned } from "./reckon.ts";
import { say as frameSay } from "../frame/say.ts";
import { say } from "./say.ts";
import type { Trace } from "./series.ts";
import { daysBefore, type Step, step_names, steps } from "./span.ts";
import { plainStatistics, showsLater, wholeMinutes } from "./statistics.ts";

/** For each number of days before: figures by word, and until when their samples are. */
type Found = ReadonlyMap<number, {
  readonly by_word: ReadonlyMap<string, Reckoned>;
  readonly until_ms: number;
}>;

/** The statistics of every curve. */
export function FigureTable({ traces, days }: {
  readonly traces: readonly Trace[];
  readonly days: readonly number[];
}) {
  const load = useFigures(days);
  const hasTotal = traces.some(({ source }) => source.is_increment);
  return (
    <>
      <Age of={load} />
      {load.problem && !load.data && <p class="quiet" role="status">{problemText(load.problem)}</p>}
      <div class="wide" tabIndex={0} role="region" aria-label={say().statistics}>
        <table>
          <thead>
            <tr>
              <th scope="col">{say().curve}</th>
              {heads.map((head) => <th scope="col" class="number">{say()[head]}</th>)}
              {hasTotal && <th scope="col" class="number">{say().total}</th>}
              <th scope="col">{say().stands_on}</th>
            </tr>
          </thead>
          <tbody>
            {traces.map((trace) => (
              <FigureRow
                trace={trace}
                hasTotal={hasTotal}
                found={load.data?.get(trace.days)?.by_word.get(trace.source.word)}
                until_ms={load.data?.get(trace.days)?.until_ms ?? NaN}
                is_loading={load.is_loading && !load.data}
              />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const heads = [
  ...(["mean", "time_weighted", "least", "greatest", "deviation"] as const),
  ...(["count", "percent_good"] as const),
] as const;

function nameOfStep(step_ms: number): Step {
  return step_names.find((it) => steps[it].ms === step_ms)!;
}

function FigureRow({ trace, found, hasTotal, until_ms, is_loading }: {
  readonly trace: Trace;
  readonly hasTotal: boolean;
  readonly found: Reckoned | undefined;
  /** Until when the samples are that were found. */
  readonly until_ms: number;
  /** Whether figures of samples are still to come. */
  readonly is_loading: boolean;
}) {
  const { unit, is_increment } = trace.source;
  const { from_ms, to_ms } = settled.value;
  const drawn = useMemo(
    () => found && !is_increment ? undefined : plainStatistics(trace.samples, settled.value),
    [trace.samples, found, from_ms, to_ms],
  );
  const figures = found ?? drawn!;
  const text = (value: number) => valueText(value, unit);
  return (
    <tr>
      <th scope="row">{nameOf(trace)}</th>
      <td class="number">{text(figures.mean)}</td>
      <td class="number">{text(figures.time_weighted)}</td>
      <td class="number">
        <Extreme text={text(figures.least)} at_ms={figures.least_ms} days={trace.days} />
      </td>
      <td class="number">
        <Extreme text={text(figures.greatest)} at_ms={figures.greatest_ms} days={trace.days} />
      </td>
      <td class="number">{text(figures.deviation)}</td>
      <td class="number">{numberText(figures.count)}</td>
      <td class="number">{percentText(figures.percent_good / 100)}</td>
      {hasTotal && <td class="number">{text(is_increment ? drawn!.total : NaN)}</td>}
      <td class="quiet">{standsOn(trace, { found, until_ms, is_loading })}</td>
    </tr>
  );
}

/** What figures stand on: samples, with their end where the curve goes on, or what is drawn. */
function standsOn(
  { samples, step_ms, days }: Trace,
  { found, until_ms, is_loading }: {
    readonly found: Reckoned | undefined;
    readonly until_ms: number;
    readonly is_loading: boolean;
  },
): string {
  if (found?.days) return say().of_days(...found.days);
  if (!found) {
    const drawn = say().of_step(say()[`step_${nameOfStep(step_ms)}`]);
    return is_loading ? `${drawn}. ${frameSay().loading}` : drawn;
  }
  const isBehind = days === 0 && showsLater(samples, { span: settled.value, until_ms, step_ms });
  return isBehind ? say().of_samples_until(timeText(until_ms, zone.value)) : say().of_samples;
}

/** How much is shown around a moment that is opened. */
const around_ms = 15 * 60_000;

/** An extreme value, which opens the samples around it. */
function Extreme({ text, at_ms, days }: {
  readonly text: string;
  readonly at_ms: number;
  readonly days: number;
}) {
  if (!Number.isFinite(at_ms) || days > 0) return <>{text}</>;
  return (
    <button
      type="button"
      class="bare figure-link"
      title={say().open_moment(instantText(at_ms, zone.value))}
      onClick={() => show({ from_ms: at_ms - around_ms, to_ms: at_ms + around_ms })}
    >
      {text}
    </button>
  );
}

/** The figures of the settled span; those of the one before are kept until they come. */
function useFigures(days: readonly number[]) {
  const kept = useSignal<{ readonly of: string; readonly data: Found } | undefined>(undefined);
  const asked = sources.value;
  const words = asked.map(({ word }) => word);
  const questions = [0, ...days].map((it) => ({
    days: it,
    ...daysBefore(wholeMinutes(settled.value, last_ms.value), {
      days: it,
      zone: zone.value,
    }),
    project_id: project.value!.id,
    zone: zone.value,
  }));
  const load = useLoad([words, questions], async (_, signal): Promise<Found> => {
    const found = await Promise.all(
      questions.map(async (it) => {
        const by_word = await reckon(asked, it, signal);
        return [it.days, { by_word, until_ms: it.to_ms }] as const;
      }),
    );
    const data = new Map(found);
    kept.value = { of: words.join(), data };
    return data;
  });
  return {
    ...load,
    data: load.data ?? (kept.value?.of === words.join() ? kept.value.data : undefined),
  };
}
