// A sound for urgent alarms, where the reader switches it on.
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { at_ms } from "../frame/clock.ts";
import { type Alarm, isAnnunciated, standingOf } from "../alarm/alarm.ts";
import { say } from "../alarm/say.ts";

const key = "alarm-sound";
const is_on = signal(localStorage.getItem(key) === "on");
let context: AudioContext | undefined;

/** The switch of the sound; new alarms of priority 1 and 2 among those read are heard. */
export function Sound({ alarms }: { readonly alarms: readonly Alarm[] | undefined }) {
  const known = useRef<ReadonlySet<string>>();
  useLayoutEffect(() => {
    if (!alarms) return;
    const loud = alarms.filter(isUrgent);
    const isFirst = known.current === undefined;
    const newest = loud.filter((it) => !known.current?.has(it.occurrence_id));
    known.current = new Set(loud.map((it) => it.occurrence_id));
    if (isFirst || newest.length === 0 || !is_on.peek() || at_ms.peek() !== undefined) return;
    play(newest.some(({ digit }) => digit === 1) ? critical : urgent);
  }, [alarms]);
  return (
    <label class="sound">
      <input
        type="checkbox"
        checked={is_on.value}
        onChange={({ currentTarget: { checked } }) => {
          is_on.value = checked;
          localStorage.setItem(key, checked ? "on" : "off");
          if (checked) play(urgent);
        }}
      />{" "}
      {say().sound}
    </label>
  );
}

function isUrgent(alarm: Alarm): boolean {
  return alarm.digit <= 2 && standingOf(alarm) === "needs" && isAnnunciated(alarm);
}

/** Two tones; three, and higher, for what is critical. In hertz. */
const urgent = [587, 440];
const critical = [880, 660, 880];

function play(tones: readonly number[]): void {
  context ??= new AudioContext();
  void context.resume();
  for (const [i, frequency] of tones.entries()) {
    const [tone, volume] = [context.createOscillator(), context.createGain()];
    const start = context.currentTime + i * 0.22;
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.0001, start);
    volume.gain.exponentialRampToValueAtTime(0.2, start + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.2);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + 0.22);
  }
}
