// Trends: curves over time, down to the samples.
import { type Signal, useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import type { Problem } from "../frame/api.ts";
import { plant_load } from "../frame/plant.ts";
import { project, zone } from "../frame/session.ts";
import { Export } from "../parts/export.tsx";
import { Age, Panel, problemText } from "../parts/panel.tsx";
import { Views } from "../views/views.tsx";
import { CurveList } from "./curve_list.tsx";
import { FigureTable } from "./figures.tsx";
import { Picker } from "./picker.tsx";
import { Plot } from "./plot.tsx";
import { requestsOf } from "./request.ts";
import { measureName, say } from "./say.ts";
import { within } from "./samples.ts";
import { type Trace, useTraces } from "./series.ts";
import { is_known } from "./source.ts";
import { Toolbar } from "./toolbar.tsx";
import { wholeMinutes } from "./statistics.ts";
import { days_before, last_ms, settled, sources, span, step, unknown_words } from "./view.ts";

/** Curves over time, in a span of choice. */
export function TrendsPage() {
  const is_adding = useSignal(false);
  const is_moving = useSignal(false);
  const adder = useRef<HTMLButtonElement>(null);
  const days = days_before.value;
  const load = useTraces({ sources: sources.value, span: span.value, step: step.value, days });
  const traces = load.data ?? none;
  // The same node again is not drawn again while a hand moves the span.
  const below = useMemo(() => traces.length > 0 && <Below traces={traces} />, [traces]);
  return (
    <div class="trends">
      <Panel
        title={say().title}
        class="drawing"
        aside={
          <>
            <button
              type="button"
              ref={adder}
              aria-expanded={is_adding.value}
              onClick={() => is_adding.value = !is_adding.value}
            >
              {say().add}
            </button>{" "}
            <Views page="trends" />
          </>
        }
      >
        {is_adding.value && (
          <Picker
            onDone={() => {
              is_adding.value = false;
              adder.current!.focus();
            }}
          />
        )}
        <Toolbar />
        <Unknown />
        <CurveList traces={traces} />
        <Age of={load} />
        <Drawing traces={traces} problem={load.problem} is_moving={is_moving} />
      </Panel>
      {below}
    </div>
  );
}

const none: readonly Trace[] = [];

/** What is told of the curves below their drawing. */
function Below({ traces }: { readonly traces: readonly Trace[] }) {
  return (
    <>
      <Panel title={say().statistics}>
        <FigureTable traces={traces} days={days_before.value} />
      </Panel>
      <Behind />
    </>
  );
}

/** What the address asks for and the plant does not have. */
function Unknown() {
  if (unknown_words.value.length === 0) return null;
  return <p class="quiet" role="status">{say().unknown(unknown_words.value.join(", "))}</p>;
}

/** The curves, or why there are none. */
function Drawing({ traces, problem, is_moving }: {
  readonly traces: readonly Trace[];
  readonly problem: Problem | undefined;
  readonly is_moving: Signal<boolean>;
}) {
  if (is_known.value && sources.value.length === 0) return <p class="empty">{say().no_curves}</p>;
  if (traces.length === 0) {
    const failed = problem ?? plant_load.value.problem;
    return (
      <p class="empty quiet" role="status">
        {failed ? problemText(failed) : is_known.value ? say().loading_curves : ""}
      </p>
    );
  }
  const isEmpty = traces.every(({ samples }) => within(samples, span.value).values.length === 0);
  return (
    <>
      <Plot traces={traces} span={span.value} is_moving={is_moving.value} />
      {isEmpty && <p class="quiet" role="status">{say().no_values}</p>}
      <div class="row how">
        <span>{say().drag}</span>
        {[false, true].map((moves) => (
          <button
            type="button"
            aria-pressed={is_moving.value === moves}
            onClick={() => is_moving.value = moves}
          >
            {moves ? say().drag_move : say().drag_zoom}
          </button>
        ))}
        <Signs traces={traces} />
        <small class="quiet">{say().how}</small>
      </div>
    </>
  );
}

/** What the signs of quality mean, of those that there are. */
function Signs({ traces }: { readonly traces: readonly Trace[] }) {
  const kinds = ["carried", "uncertain", "bad"] as const;
  return (
    <>
      {kinds.filter((kind) => traces.some(({ has }) => has[kind])).map((kind) => (
        <span class={`sign ${kind}`}>{say()[kind]}</span>
      ))}
    </>
  );
}

/** What the curves are made of: each request, to be taken away. */
function Behind() {
  const reading = {
    // The same minutes as the statistics are of.
    ...wholeMinutes(settled.value, last_ms.value),
    project_id: project.value!.id,
    zone: zone.value,
    step: step.value,
  };
  return (
    <Panel title={say().data}>
      <ul class="behind">
        {requestsOf(sources.value, reading).map(({ kind, path, query, ...request }) => {
          const [{ component, measure }] = request.sources;
          const tags = request.sources.map(({ tag }) => tag).join(", ");
          const name = kind === "performance"
            ? say().data_performance(
              `${component} ${measureName(measure!)}`,
              say()[`step_${request.step}`],
            )
            : request.step === "raw"
            ? say().data_signals(tags)
            : say().data_minutes(tags);
          return (
            <li>
              <span>{name}</span> <Export path={path} query={query} name={name} />
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
