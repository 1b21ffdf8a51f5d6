// What is wrong, by priority, in the header; and that the screen is cut off, where it is.
import { getJson } from "../frame/api.ts";
import { at_ms } from "../frame/clock.ts";
import { alarm_beat, cut_for_ms } from "../frame/live.ts";
import { useLoad } from "../frame/load.ts";
import { spanText } from "../frame/number.ts";
import { say } from "../frame/say.ts";
import { project } from "../frame/session.ts";
import { Link } from "../parts/message.tsx";
import { type Digit, digitOf, Priority } from "../parts/priority.tsx";

type Counts = {
  readonly by_severity: readonly {
    readonly severity: string;
    readonly unattended: number;
    readonly attended: number;
  }[];
};

/** A priority and how many alarms of it stand. */
type Count = readonly [digit: Digit, count: number];

const path = "/platform/v1/alarms";
const refresh_ms = 15_000;

/** How many alarms stand, by priority: now, or at the moment that is looked at. */
export function AlarmCounts() {
  const at = at_ms.value;
  const project_id = project.value?.id;
  const key = project_id === undefined ? undefined : [project_id, at] as const;
  const { data } = useLoad(
    key,
    ([project_id, at], signal) =>
      at === undefined ? countsNow(project_id, signal) : countsAt(at, signal),
    { refresh_ms: at === undefined ? refresh_ms : undefined, again: alarm_beat.value },
  );
  return (
    <span class="alarm-counts">
      {data?.map(([digit, count]) => (
        <Link
          page="alarms"
          params={{ priority: String(digit) }}
          title={say().alarms_of(say()[`priority_${digit}`], count)}
        >
          <Priority of={digit} /> {count}
        </Link>
      ))}
    </span>
  );
}

/** That nothing comes by itself any more, and for how long. */
export function CutSign() {
  const span_ms = cut_for_ms.value;
  if (span_ms === undefined) return null;
  return <span class="cut" role="alert">{say().cut_off(spanText(span_ms))}</span>;
}

async function countsNow(project_id: string, signal: AbortSignal): Promise<readonly Count[]> {
  const { by_severity } = await getJson<Counts>(`${path}/counts`, { project_id }, signal);
  return countsOf(by_severity.map(({ severity, unattended, attended }) => (
    { digit: digitOf(severity), count: unattended + attended }
  )));
}

/** From the alarms that stood then; what tells it is loaded only for this. */
async function countsAt(at: number, signal: AbortSignal) {
  const { standingAt } = await import("../alarms/store.ts");
  const standing = await standingAt(at, signal);
  return countsOf(standing.map(({ digit }) => ({ digit, count: 1 })));
}

function countsOf(
  found: readonly { readonly digit: Digit; readonly count: number }[],
): readonly Count[] {
  const digits: readonly Digit[] = [1, 2, 3, 4, 5];
  return digits.map((digit): Count => {
    const own = found.filter((it) => it.digit === digit);
    return [digit, own.reduce((sum, { count }) => sum + count, 0)];
  }).filter(([, count]) => count > 0);
}
