// What is wrong with a plant, by priority.
import { getJson } from "../frame/api.ts";
import { at_ms } from "../frame/clock.ts";
import { alarm_beat } from "../frame/live.ts";
import { useLoad } from "../frame/load.ts";
import { say } from "../frame/say.ts";
import type { Project } from "../frame/session.ts";
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

/** How many alarms of a plant stand, by priority: now, or at the moment that is looked at. */
export function AlarmCounts({ of: project, none }: {
  readonly of: Project | undefined;
  /** What is said where none stands. */
  readonly none?: string;
}) {
  const at = at_ms.value;
  const key = project && [project.id, at] as const;
  const { data } = useLoad(
    key,
    ([project_id, at], signal) =>
      at === undefined ? countsNow(project_id, signal) : countsAt(at, project_id, signal),
    { refresh_ms: at === undefined ? refresh_ms : undefined, again: alarm_beat.value },
  );
  return (
    <span class="alarm-counts">
      {none !== undefined && !data && <span class="quiet">{say().loading}</span>}
      {data?.length === 0 && none}
      {data?.map(([digit, count]) => (
        <Link
          page="alarms"
          params={{ project: project!.key, priority: String(digit) }}
          title={say().alarms_of(say()[`priority_${digit}`], count)}
        >
          <Priority of={digit} /> {count}
        </Link>
      ))}
    </span>
  );
}

async function countsNow(project_id: string, signal: AbortSignal): Promise<readonly Count[]> {
  const { by_severity } = await getJson<Counts>(`${path}/counts`, { project_id }, signal);
  return countsOf(by_severity.map(({ severity, unattended, attended }) => (
    { digit: digitOf(severity), count: unattended + attended }
  )));
}

/** From the alarms that stood then; what tells it is loaded only for this. */
async function countsAt(at: number, project_id: string, signal: AbortSignal) {
  const { standingAt } = await import("./store.ts");
  const standing = await standingAt({ at, project_id }, signal);
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
