// The chosen alarm: what to do, its trend, its figures, its story, its rule and its issue.
import { getJson } from "../frame/api.ts";
import { at_ms, moment_ms, now_ms } from "../frame/clock.ts";
import { alarm_beat, work_beat } from "../frame/live.ts";
import { type Load, useLoad } from "../frame/load.ts";
import { spanText } from "../frame/number.ts";
import { deviceOf } from "../frame/plant.ts";
import { project, zone } from "../frame/session.ts";
import { dayOf, instantText } from "../frame/zone.ts";
import { Link } from "../parts/message.tsx";
import { Loaded } from "../parts/panel.tsx";
import { Priority } from "../parts/priority.tsx";
import type { Alarm } from "../alarm/alarm.ts";
import { Actions } from "./actions.tsx";
import { valueText } from "../alarm/figures.ts";
import { StateText } from "./list.tsx";
import { Rule } from "../alarm/rule.tsx";
import { say } from "../alarm/say.ts";
import { getAlarm } from "./store.ts";
import { Timeline } from "../alarm/timeline.tsx";
import { spanAround, Trend } from "../alarm/trend.tsx";
import { choose } from "./view.ts";

/** An alarm that may not be in the list, or whose timeline there is cut off. */
export function useWhole(id: string | undefined, listed: Alarm | undefined): Load<Alarm | null> {
  const isNeeded = id !== undefined && (listed === undefined || listed.events_truncated);
  const key = isNeeded ? [id, project.value!.id, at_ms.value] as const : undefined;
  const loaded = useLoad(
    key,
    async ([id], signal) => await getAlarm(id, signal) ?? null,
    { again: isNeeded ? alarm_beat.value : undefined },
  );
  if (!isNeeded || loaded.data === undefined && listed) {
    return { data: listed, problem: undefined, is_loading: false, loaded_ms: now_ms.peek() };
  }
  return loaded;
}

/** Everything about an alarm. */
export function Detail({ of }: {
  readonly of: Load<Alarm | null>;
}) {
  if (of.problem?.status === 404) return <p class="quiet">{say().not_found}</p>;
  return (
    <Loaded of={of} isEmpty={(it) => it === null} empty={say().not_found}>
      {(alarm) => <Whole alarm={alarm!} />}
    </Loaded>
  );
}

function Whole({ alarm }: { readonly alarm: Alarm }) {
  const { digit, rule_name, device_name, source_tag, rule_description } = alarm;
  return (
    <>
      <button type="button" class="back" onClick={() => choose(undefined)}>
        ← {say().back_to_list}
      </button>
      <h2>
        <Priority of={digit} /> {rule_name}: {device_name ?? source_tag}
      </h2>
      <p class="what-to-do">
        <span class="hidden">{say().what_to_do}:</span>
        {rule_description ?? <span class="quiet">{say().no_advice}</span>}
      </p>
      <p>
        <b>{alarm.cleared_ms === null ? say().active : say().returned}</b> ·{" "}
        <StateText alarm={alarm} />
        {alarm.decoded_labels.length > 0 && ` · ${alarm.decoded_labels.join(", ")}`}
      </p>
      <Actions targets={[alarm]} place="detail" />
      <h3>{say().trend}</h3>
      <Trend alarm={alarm} key={alarm.occurrence_id} />
      <Ways alarm={alarm} />
      <h3>{say().timeline}</h3>
      <Timeline alarm={alarm} />
      <h3>{say().issues}</h3>
      <Issues alarm={alarm} />
      <h3>{say().figures}</h3>
      <Figures alarm={alarm} />
      <h3>{say().rule}</h3>
      <Rule alarm={alarm} key={`rule ${alarm.occurrence_id}`} />
    </>
  );
}

/** Where the alarm's device and samples can be looked at, at its moment. */
function Ways({ alarm }: { readonly alarm: Alarm }) {
  const { raised_ms, source_tag, device_id } = alarm;
  const device = deviceOf(device_id);
  const { from_ms, to_ms } = spanAround(alarm, moment_ms.value);
  const quarter_ms = 900_000;
  const iso = (at_ms: number) => new Date(at_ms).toISOString().slice(0, 19) + "Z";
  return (
    <p class="ways">
      {device?.type === "inverter" && (
        <Link
          page="inverters"
          params={{
            device: device.key,
            day: dayOf(raised_ms, zone.value),
            cell: iso(Math.floor(raised_ms / quarter_ms) * quarter_ms),
          }}
        >
          {say().look_at_device(device.name)}
        </Link>
      )}
      <Link
        page="trends"
        params={{ curves: encodeURIComponent(source_tag), from: iso(from_ms), to: iso(to_ms) }}
      >
        {say().to_samples}
      </Link>
    </p>
  );
}

function Figures({ alarm }: { readonly alarm: Alarm }) {
  const { raised_ms, cleared_ms, peak_ms, source_tag, alarm_class, is_nerc } = alarm;
  const at = (ms: number | null) => ms === null ? "" : ` · ${instantText(ms, zone.value)}`;
  const rows: readonly (readonly [string, string | undefined])[] = [
    [say().raised_value, valueText(alarm, alarm.raised_value) + at(raised_ms)],
    [
      say().peak_value,
      alarm.peak_value === null ? undefined : valueText(alarm, alarm.peak_value) + at(peak_ms),
    ],
    [say().last_value, alarm.last_value === null ? undefined : valueText(alarm, alarm.last_value)],
    [
      say().recovered_value,
      alarm.recovered_value === null
        ? undefined
        : valueText(alarm, alarm.recovered_value) + at(cleared_ms),
    ],
    [
      cleared_ms === null ? say().lasts : say().lasted,
      spanText((cleared_ms ?? moment_ms.value) - raised_ms),
    ],
    [say().tag, source_tag],
    [say().judged_at, placeOf(alarm)],
    [say().alarm_class, [alarm_class, is_nerc && say().nerc].filter(Boolean).join(" · ")],
  ];
  return (
    <dl class="alarm-figures">
      {rows.filter(([, text]) => text).map(([name, text]) => (
        <div>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Where an alarm is judged; undefined where that goes without saying. */
function placeOf({ judged_at, gateway }: Alarm): string | undefined {
  if (judged_at === "gateway") return say().by_gateway(gateway ?? "");
  return judged_at === "centre" ? say().by_centre : undefined;
}

type Issue = { readonly id: string; readonly number: number } & {
  readonly name: string;
  readonly created_at: string;
};

/** The issues that an alarm led to, until the moment that is looked at. */
function Issues({ alarm: { occurrence_id } }: { readonly alarm: Alarm }) {
  const issues = useLoad(
    [project.value!.id, occurrence_id],
    ([project_id, alarm], signal) =>
      getJson<Issue[]>("/platform/v1/issues", { project_id, alarm }, signal),
    { again: work_beat.value },
  );
  const isThere = ({ created_at }: Issue) => Date.parse(created_at) <= moment_ms.value;
  return (
    <Loaded of={issues} isEmpty={(it) => !it.some(isThere)} empty={say().no_issue}>
      {(all) => (
        <ul class="issues">
          {all.filter(isThere).map(({ id, number, name }) => (
            <li>
              <Link page="work" params={{ issue: id }}>{say().issue_line(number, name)}</Link>
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}
