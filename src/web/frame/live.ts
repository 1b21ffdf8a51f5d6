// What the service tells by itself, over one connection for everything: the newest values, and that
// alarms or work changed. While a moment of the past is shown there is none.
import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { requestAddress } from "./api.ts";
import { after, at_ms, now_ms } from "./clock.ts";
import { project } from "./session.ts";
import { followStream } from "./stream.ts";

/** The newest value of a tag; numbers in the measure's unit where there is one. */
export type LiveValue = {
  readonly sensor_tag: string;
  readonly hierarchy_id: string | null;
  readonly component_measure: string | null;
  readonly unit: string | null;
  readonly ts: string;
  readonly value: number | string | null;
  readonly quality: "good" | "uncertain" | "bad" | null;
  readonly received_at: string;
};

/** Grows with every change of alarms; what shows them reads them again then. */
export const alarm_beat = signal(0);

/** Grows with every change of issues and work orders. */
export const work_beat = signal(0);

/** Since when there is no connection; undefined while there is one, and where none is wanted. */
const cut_ms = signal<number | undefined>(undefined);

/** After this long without a connection, that is said. */
const tolerated_ms = 15_000;

/** For how long there has been no connection, where that has to be said. */
export const cut_for_ms = computed(() => {
  const span_ms = cut_ms.value === undefined ? 0 : now_ms.value - cut_ms.value;
  return span_ms > tolerated_ms ? span_ms : undefined;
});

/** Requests that follow events are not closer together than this. */
const pace_ms = 250;

const values = new Map<string, Signal<LiveValue | undefined>>();

/** The newest value of a tag, by its name or its hierarchy id; it moves as values come. */
export function liveOf(word: string): ReadonlySignal<LiveValue | undefined> {
  return signalOf(word);
}

/** Keeps the connection for as long as somebody is signed in and looks at now. */
export function startLive(): void {
  const wanted = computed(() => at_ms.value === undefined ? project.value?.id : undefined);
  let stop = () => {};
  effect(() => {
    const project_id = wanted.value;
    stop();
    forget();
    stop = project_id === undefined ? () => {} : follow(project_id);
  });
}

const path = "/platform/v1/signals/stream";
const include = ["alarms", "work"];

function follow(project_id: string): () => void {
  return followStream(
    { connect: (address) => new EventSource(address), after },
    (last_event_id) => requestAddress(path, { project_id, include, last_event_id }),
    {
      onOpen: () => {
        cut_ms.value = undefined;
        readAgain();
      },
      onCut: () => cut_ms.value ??= now_ms.peek(),
      events: {
        values: takeValues,
        alarm: beatAlarms,
        work: beatWork,
        reset: readAgain,
      },
    },
  );
}

const beatAlarms = paced(alarm_beat);
const beatWork = paced(work_beat);

/** Whatever was missed: everything that shows it is read anew. */
function readAgain(): void {
  beatAlarms();
  beatWork();
}

/** Lets a beat grow at once, and then once in a while, however many events come. */
function paced(beat: Signal<number>): () => void {
  let [is_waiting, is_due] = [false, false];
  const grow = () => {
    is_due = is_waiting;
    if (is_waiting) return;
    beat.value++;
    is_waiting = true;
    after(pace_ms, () => {
      is_waiting = false;
      if (is_due) grow();
    });
  };
  return grow;
}

function takeValues(data: string): void {
  batch(() => {
    for (const value of JSON.parse(data) as LiveValue[]) {
      signalOf(value.sensor_tag).value = value;
      if (value.hierarchy_id !== null) signalOf(value.hierarchy_id).value = value;
    }
  });
}

function signalOf(word: string): Signal<LiveValue | undefined> {
  let found = values.get(word);
  if (!found) values.set(word, found = signal(undefined));
  return found;
}

/** Another plant's tags may have the same names. */
function forget(): void {
  cut_ms.value = undefined;
  batch(() => values.forEach((it) => it.value = undefined));
}
