// The alarms of the plant: read once, then whatever has changed; or as they were at a moment.
import { type ReadonlySignal, signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import type { OccurrenceRow } from "../../model/alarms/shape.ts";
import { getJson, problemOf, type Query } from "../frame/api.ts";
import { after, at_ms, now_ms } from "../frame/clock.ts";
import { alarm_beat } from "../frame/live.ts";
import type { Load } from "../frame/load.ts";
import { project } from "../frame/session.ts";
import { type Alarm, alarmOf, standingOf } from "../alarm/alarm.ts";
import { alarmAt } from "../alarm/replay.ts";
import { day, span, timeShown } from "./view.ts";

export const alarms_path = "/platform/v1/alarms";

/** How many alarms a page of the list has at most. */
export const page_rows = 10_000;
const refresh_ms = 15_000;
const retry_ms = 3_000;

/** Beside a day of the past, alarms that ended so long ago are of now. */
const recent_ms = 3_600_000;

const none: Load<readonly Alarm[]> = {
  data: undefined,
  problem: undefined,
  is_loading: true,
  loaded_ms: 0,
};

const state = signal(none);

/** The alarms that are shown, in no order. */
export const alarms: ReadonlySignal<Load<readonly Alarm[]>> = state;

/** Reads what has changed now; settles once that is shown. */
export let refresh = (): Promise<void> => Promise.resolve();

/** Keeps the alarms for as long as the component is there. */
export function useAlarms(): void {
  const key = [project.value!.id, span.value, day.value, at_ms.value].join();
  useLayoutEffect(() => {
    state.value = none;
    return follow(source());
  }, [key]);
}

/** An alarm with its whole timeline, as it is or was. Throws a `Problem`. */
export async function getAlarm(
  occurrence_id: string,
  signal?: AbortSignal,
): Promise<Alarm | undefined> {
  const path = `${alarms_path}/${encodeURIComponent(occurrence_id)}`;
  const query = { project_id: project.peek()!.id, include: "judged" };
  const alarm = alarmOf(await getJson<OccurrenceRow>(path, query, signal));
  const at = at_ms.peek();
  return at === undefined ? alarm : alarmAt(alarm, at);
}

/** Those of a plant that needed somebody at a moment. */
export async function standingAt(
  { at, project_id }: { readonly at: number; readonly project_id: string },
  signal: AbortSignal,
): Promise<readonly Alarm[]> {
  const rows = await getAlarms({ from_ms: at, to_ms: at + 1, project_id }, signal);
  return rows.flatMap((row) => alarmAt(alarmOf(row), at) ?? [])
    .filter((alarm) => standingOf(alarm) === "needs");
}

/** All that stood at some time of a span, as they are now, with whole timelines. */
export async function getAlarms(
  { from_ms, to_ms, project_id = project.peek()!.id }: {
    readonly from_ms: number;
    readonly to_ms: number;
    readonly project_id?: string;
  },
  signal: AbortSignal,
): Promise<readonly OccurrenceRow[]> {
  const to = new Date(to_ms).toISOString();
  const from = new Date(from_ms).toISOString();
  const rows = await readAll({ project_id, from, to }, signal);
  return await Promise.all(rows.map((row) =>
    row.events_truncated
      ? getJson<OccurrenceRow>(
        `${alarms_path}/${encodeURIComponent(row.occurrence_id)}`,
        { project_id: row.project_id, include: "judged" },
        signal,
      )
      : row
  ));
}

type Source = (signal: AbortSignal) => Promise<readonly Alarm[]>;

/**
 * How the alarms are read, first and then again: now what has changed, else all as they were.
 * Beside a day of the past those of now are read too: they are heard, and a flood is told.
 */
function source(): Source {
  const at = at_ms.peek();
  const { from_ms, to_ms } = timeShown(at ?? now_ms.peek());
  if (at !== undefined) {
    const end_ms = Math.max(from_ms, Math.min(to_ms ?? Infinity, at + 1));
    return async (signal) =>
      (await getAlarms({ from_ms, to_ms: end_ms }, signal))
        .flatMap((row) => alarmAt(alarmOf(row), at) ?? []);
  }
  const from = new Date(from_ms).toISOString();
  const to = to_ms === undefined ? undefined : new Date(to_ms).toISOString();
  const since = to === undefined ? from : new Date(now_ms.peek() - recent_ms).toISOString();
  const kept = new Map<string, Alarm>();
  let last: OccurrenceRow | undefined;
  return async (signal) => {
    const query = last
      ? { updated_since: last.synced_at, after: last.svc_occurrence_ref }
      : { from: since };
    const rows = await readAll(query, signal);
    // After those of now: what changes between the two is in the next changes too.
    const of_day = to === undefined || last ? [] : await readAll({ from, to }, signal);
    for (const row of [...rows, ...of_day]) kept.set(row.occurrence_id, alarmOf(row));
    last = rows.at(-1) ?? last;
    return [...kept.values()];
  };
}

/** Every page of a list. */
async function readAll(query: Query, signal?: AbortSignal): Promise<OccurrenceRow[]> {
  const all: OccurrenceRow[] = [];
  let resume: Query = {};
  for (;;) {
    const rows = await getJson<OccurrenceRow[]>(alarms_path, {
      project_id: project.peek()!.id,
      include: "judged",
      ...query,
      ...resume,
      limit: page_rows,
    }, signal);
    all.push(...rows);
    if (rows.length < page_rows) return all;
    const { synced_at: updated_since, svc_occurrence_ref: after } = rows.at(-1)!;
    resume = { updated_since, after };
  }
}

/** Reads, and reads again when alarms changed meanwhile, after a while, or after a failure. */
function follow(get: Source): () => void {
  const stop = new AbortController();
  let callOff = () => {};
  let reading: Promise<void> | undefined;
  let is_due = false;
  const read = async () => {
    callOff();
    do {
      is_due = false;
      await get(stop.signal).then(
        (data) => {
          if (stop.signal.aborted) return;
          state.value = {
            data,
            problem: undefined,
            is_loading: false,
            loaded_ms: now_ms.peek(),
          };
        },
        (error) => {
          if (!stop.signal.aborted) state.value = { ...state.peek(), problem: problemOf(error) };
        },
      );
    } while (is_due && !stop.signal.aborted);
    reading = undefined;
    if (stop.signal.aborted) return;
    callOff = after(state.peek().problem ? retry_ms : refresh_ms, () => void ask());
  };
  const ask = () => {
    is_due = reading !== undefined;
    return reading ??= read();
  };
  const unsubscribe = alarm_beat.subscribe(() => void ask());
  refresh = ask;
  return () => {
    stop.abort();
    unsubscribe();
    callOff();
  };
}
