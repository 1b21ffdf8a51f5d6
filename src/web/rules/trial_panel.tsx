// What a rule would have raised over the last days, drawn while it is written.
import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { after } from "../frame/clock.ts";
import { numberText, quantityText, scaleOf, spanText } from "../frame/number.ts";
import { change, param } from "../frame/place.ts";
import { deviceOf, devices, plant_load } from "../frame/plant.ts";
import { zone } from "../frame/session.ts";
import { instantText, offsetText } from "../frame/zone.ts";
import { Chart, type Line } from "../parts/chart.tsx";
import { DataTable } from "../parts/data_table.tsx";
import { Loaded } from "../parts/panel.tsx";
import type { Definition } from "./draft.ts";
import { say } from "./say.ts";
import { look_days, lookedAt, useCurve, useTrial } from "./store.ts";
import {
  type Curve,
  limitsOf,
  longestOf,
  spanOf,
  type TagTrial,
  type Trial,
  unitOf,
  watchedTags,
} from "./trial.ts";

/** So long after the last key a rule is tried. */
const typing_ms = 600;

/** The trial of a definition; undefined while the form is not complete. */
export function TrialPanel({ site, definition }: {
  readonly site: string | undefined;
  readonly definition: Definition | undefined;
}) {
  const settled = useSettled(definition);
  const trial = useTrial(site, settled);
  return (
    <section class="rules-trial" aria-label={say().trial(String(look_days))}>
      <h3>{say().trial(String(look_days))}</h3>
      {settled === undefined ? <p class="quiet">{say().trial_incomplete}</p> : (
        <>
          <Loaded of={trial}>{(it) => <Counts trial={it} />}</Loaded>
          <Drawing definition={settled} trial={trial.data} />
        </>
      )}
    </section>
  );
}

/** The definition once nothing was typed for a moment. */
function useSettled(definition: Definition | undefined): Definition | undefined {
  const settled = useSignal(definition);
  const text = JSON.stringify(definition);
  useLayoutEffect(() => {
    if (JSON.stringify(settled.peek()) === text) return;
    return after(typing_ms, () => settled.value = definition);
  }, [text]);
  return settled.value;
}

function Counts({ trial }: { readonly trial: Trial }) {
  const { raised, chattering, standing_s, tags_watched, tags_silent } = trial;
  const longest = longestOf(trial, lookedAt().to_ms);
  return (
    <dl class="rules-counts">
      <div class={raised > look_days * 10 ? "much" : undefined}>
        <dt>{say().would_raise}</dt>
        <dd>{numberText(raised)}</dd>
      </div>
      <div>
        <dt>{say().a_day}</dt>
        <dd>{numberText(raised / look_days, 1)}</dd>
      </div>
      <div class={chattering > 0 ? "much" : undefined}>
        <dt>{say().chattering}</dt>
        <dd>{numberText(chattering)}</dd>
      </div>
      <div>
        <dt>{say().longest}</dt>
        <dd>{longest === undefined ? "–" : spanText(longest)}</dd>
      </div>
      <div>
        <dt>{say().standing}</dt>
        <dd>{spanText(standing_s * 1000)}</dd>
      </div>
      <div>
        <dt>{say().watched}</dt>
        <dd>
          {numberText(tags_watched)}
          {tags_silent > 0 && <small>{say().silent(numberText(tags_silent))}</small>}
        </dd>
      </div>
    </dl>
  );
}

/** The curve of one tag with the limits, and when an alarm would have stood. */
function Drawing({ definition, trial }: {
  readonly definition: Definition;
  readonly trial: Trial | undefined;
}) {
  const { sensors = [] } = plant_load.value.data ?? {};
  const all = { devices: devices.value, sensors };
  const raised = trial?.tags.map(({ source_tag }) => source_tag) ?? [];
  const tags = [...new Set([...raised, ...watchedTags(definition, all)])];
  const tag = tags.find((it) => it === param("tag")) ?? tags[0];
  const curve = useCurve({ tag, isMeasure: definition.measure !== undefined });
  if (tag === undefined) return trial ? <p class="quiet">{say().no_tag}</p> : null;
  const found = trial?.tags.find(({ source_tag }) => source_tag === tag);
  const own = [...devices.value.flatMap((device) => device.sensors), ...sensors];
  const unit = unitOf(definition, own);
  return (
    <>
      <label class="rules-tag">
        {say().tag}
        <select
          value={tag}
          onChange={({ currentTarget }) => change({ tag: currentTarget.value })}
        >
          {tags.map((it) => <option value={it}>{tagText(it, trial)}</option>)}
        </select>
      </label>
      <Loaded of={curve} isEmpty={({ values }) => values.length === 0} empty={say().no_curve}>
        {(it) => <Plot {...{ curve: it, definition, found, tag, unit }} />}
      </Loaded>
      {found && <Occurrences of={found} unit={unit} definition={definition} />}
    </>
  );
}

function tagText(tag: string, trial: Trial | undefined): string {
  const found = trial?.tags.find(({ source_tag }) => source_tag === tag);
  const name = deviceOf(found?.device_key)?.name;
  const count = found ? ` (${found.raised})` : "";
  return `${tag}${name ? ` · ${name}` : ""}${count}`;
}

function Plot({ curve, definition, found, tag, unit }: {
  readonly curve: Curve;
  readonly definition: Definition;
  readonly found: TagTrial | undefined;
  readonly tag: string;
  readonly unit: string;
}) {
  const { from_ms, to_ms } = lookedAt();
  const limits = limitsOf(definition);
  const most = [...curve.values, ...limits].reduce(
    (most, it) => Number.isNaN(it) ? most : Math.max(most, Math.abs(it)),
    0,
  );
  const scale = scaleOf(most, unit);
  const isCode = definition.kind === "bitmask" || definition.kind === "enum";
  const lines: readonly Line[] = [
    {
      label: tag,
      unit: scale.unit,
      values: curve.values.map((it) => it / scale.divisor),
      color: "--line-1",
      look: isCode ? "step" : "line",
    },
    ...limits.map((limit) => ({
      label: say().limit,
      unit: scale.unit,
      values: new Float64Array(curve.values.length).fill(limit / scale.divisor),
      color: "--line-2",
      look: "dashed" as const,
    })),
  ];
  return (
    <Chart
      label={say().drawing(tag)}
      instants={curve.instants}
      lines={lines}
      height={200}
      from_ms={from_ms}
      to_ms={to_ms}
      decimals={2}
      is_free
      bands={found?.occurrences.map((it) => spanOf(it, to_ms)) ?? []}
    />
  );
}

/** The alarms that would have been, as a table. */
function Occurrences({ of, unit, definition }: {
  readonly of: TagTrial;
  readonly unit: string;
  readonly definition: Definition;
}) {
  const { occurrences, occurrences_total } = of;
  const { to_ms } = lookedAt();
  const isOnScale = limitsOf(definition).length > 0;
  const valueText = (value: number | null) =>
    isOnScale ? quantityText(value, unit) : numberText(value, 2);
  return (
    <>
      <p class="quiet small">
        {say().listed(numberText(occurrences.length), numberText(occurrences_total))}
      </p>
      <DataTable
        columns={[say().raised, say().cleared, say().lasted, say().value, say().peak]}
        length={occurrences.length}
        row={(i) => {
          const it = occurrences[i];
          const { from_ms, to_ms: end_ms } = spanOf(it, to_ms);
          return [
            `${instantText(from_ms, zone.value)} ${offsetText(from_ms, zone.value)}`,
            it.cleared_at === null ? say().still : instantText(end_ms, zone.value),
            spanText(end_ms - from_ms),
            it.decoded_labels.join(", ") || valueText(it.raised_value),
            valueText(it.peak_value),
          ];
        }}
      />
    </>
  );
}
